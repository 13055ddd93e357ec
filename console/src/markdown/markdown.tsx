/** Markdown as React elements. Nothing in a text becomes HTML, and nothing in it is fetched. */
import { Fragment, memo, useState, type ReactNode } from "react";
import { Lexer, type Token, type Tokens } from "marked";
import { Button } from "../parts/parts";
import s from "./markdown.module.css";

type Cite = (citation: string) => void;

/** `cite`: makes `[m1]` a way to the memory it stands for. */
export const Markdown = memo(function Markdown({ text, cite }: { text: string; cite?: Cite | undefined }) {
  let shown: ReactNode;
  try {
    shown = blocks(new Lexer({ gfm: true, breaks: true }).lex(text), cite);
  } catch {
    shown = <p className="anywhere">{text}</p>; // nested deeper than the parser goes: as it was written
  }
  return (
    <div className={s["text"]} dir="auto">
      {shown}
    </div>
  );
});

function blocks(tokens: Token[], cite: Cite | undefined): ReactNode {
  return tokens.map((token, at) => <Fragment key={at}>{block(token, cite)}</Fragment>);
}

function block(token: Token, cite: Cite | undefined): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      const Name = `h${Math.min(depth + 2, 6)}` as "h3"; // the page has its own first headings
      return <Name data-depth={depth}>{inline(tokens, cite)}</Name>;
    }
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens, cite)}</p>;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens, cite) : cited(plain(text), cite);
    }
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return <Code text={text} language={lang ?? ""} />;
    }
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, cite)}</blockquote>;
    case "list":
      return <List token={token as Tokens.List} cite={cite} />;
    case "table":
      return <Table token={token as Tokens.Table} cite={cite} />;
    case "hr":
      return <hr />;
    default: // HTML is text like any other
      return <p className="anywhere">{token.raw}</p>;
  }
}

function inline(tokens: Token[] | undefined, cite: Cite | undefined): ReactNode {
  return (tokens ?? []).map((token, at) => <Fragment key={at}>{span(token, cite)}</Fragment>);
}

function span(token: Token, cite: Cite | undefined): ReactNode {
  switch (token.type) {
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens, cite) : cited(plain(text), cite);
    }
    case "escape":
      return plain((token as Tokens.Escape).text);
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens, cite)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens, cite)}</em>;
    case "del":
      return <del>{inline((token as Tokens.Del).tokens, cite)}</del>;
    case "codespan":
      return <code>{plain((token as Tokens.Codespan).text)}</code>;
    case "br":
      return <br />;
    case "link": {
      const { href, tokens } = token as Tokens.Link;
      return <Outside href={plain(href)}>{inline(tokens, cite)}</Outside>;
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      return <Picture href={plain(href)} text={plain(text)} />;
    }
    default:
      return token.raw;
  }
}

/** A page in the net, or its address as text where a browser should not go. */
function Outside({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return <span title={href}>{children}</span>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** Fetching a picture would tell its server that somebody reads this. */
function Picture({ href, text }: { href: string; text: string }) {
  return (
    <span className={s["image"]} data-blocked="image">
      <span className="muted">picture, not loaded:</span>
      <Outside href={href}>{text || href.slice(0, 80)}</Outside>
    </span>
  );
}

function Code({ text, language }: { text: string; language: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard?.writeText(text).then(() => setCopied(true));
  return (
    <div className={s["code"]}>
      <div className={s["codeHead"]}>
        <span>{language}</span>
        <Button look="quiet" small onClick={copy} aria-label="Copy this code">
          {copied ? "Copied" : "Copy"}
        </Button>
      </div>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

function List({ token, cite }: { token: Tokens.List; cite: Cite | undefined }) {
  const items = token.items.map((item, at) => (
    <li key={at}>
      {item.task && <input type="checkbox" checked={Boolean(item.checked)} readOnly disabled aria-label={item.checked ? "done" : "to do"} />}{" "}
      {blocks(item.tokens.filter((one) => one.type !== "checkbox"), cite)}
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ token, cite }: { token: Tokens.Table; cite: Cite | undefined }) {
  return (
    <div className={s["scrolls"]} tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              <th key={at}>{inline(cell.tokens, cite)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell.tokens, cite)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cited(text: string, cite: Cite | undefined): ReactNode {
  if (!cite || !text.includes("[")) return text;
  return text.split(/(\[[a-z]\d{1,3}\])/).map((part, at) =>
    at % 2 ? (
      <button key={at} type="button" className={s["cite"]} onClick={() => cite(part.slice(1, -1))} aria-label={`memory ${part.slice(1, -1)}`}>
        {part.slice(1, -1)}
      </button>
    ) : (
      part
    ),
  );
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Entities are characters in Markdown; React escapes them again. */
function plain(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,6}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name) return NAMED[name] ?? whole;
    const code = decimal ? Number(decimal) : parseInt(hex!, 16);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
}
