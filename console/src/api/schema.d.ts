// made by npm run types from openapi.json 8c1edc035ffe1784a4fb816bec46e8611b998058d883b33a4bf52fe97c7acc34
export interface paths {
    "/v1/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a verified backup. */
        post: operations["backup.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hand in a file for a message. */
        post: operations["attachment.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/attachments/{attachment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file that was handed in, and what could be read in it. */
        get: operations["attachment.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Checkpoints of a conversation, or of all in sight, newest first. */
        get: operations["checkpoint.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/checkpoints/{checkpoint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One checkpoint. */
        get: operations["checkpoint.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/checkpoints/{checkpoint}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What differs between two checkpoints, or between one and now. */
        post: operations["checkpoint.compare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/checkpoints/{checkpoint}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Go back to a checkpoint: in a branch, or with the documents alone. */
        post: operations["checkpoint.restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/model": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which model answers, and how it does. */
        get: operations["chat.model"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/references/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What the references in a message would bring. */
        post: operations["chat.preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One turn: its state and what it used. */
        get: operations["run.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/runs/{run_id}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a turn; what has arrived is kept. */
        post: operations["run.abort"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/runs/{run_id}/approvals/{call_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a tool do what it asks for, or not. */
        post: operations["run.decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/runs/{run_id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a turn's prompt was made of, and what was left out and why. */
        get: operations["run.explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/runs/{run_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Go on listening to a turn, or hear it again. */
        get: operations["chat.follow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find words in all conversations in sight. */
        post: operations["session.search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Conversations in sight, last active first, page by page. */
        get: operations["session.list"];
        put?: never;
        /** Begin a conversation. */
        post: operations["session.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One conversation, where it was branched from and what was branched from it. */
        get: operations["session.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Give it another title. */
        patch: operations["session.rename"];
        trace?: never;
    };
    "/v1/chat/sessions/{session}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Put it away, or take it out again. */
        post: operations["session.archive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/branch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A new conversation that shares the first part of this one. */
        post: operations["session.branch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A point of a conversation and its documents to come back to. */
        post: operations["checkpoint.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/compactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was condensed of a conversation, newest first. */
        get: operations["compaction.list"];
        put?: never;
        /** Condense a conversation; the tape stays whole. */
        post: operations["compaction.apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/compactions/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What condensing a conversation would do, and what would be lost. */
        post: operations["compaction.preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Destroy every trace of what was said, and of memories made from it. The answer is the certificate. */
        post: operations["session.erase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All of a conversation as JSON or Markdown. */
        get: operations["session.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bring a branch's documents back to where they were taken from. */
        post: operations["checkpoint.merge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/messages/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say something and hear the answer as it comes. The turn goes on when nobody listens. */
        post: operations["chat.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/originals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was said where a summary stands now. */
        get: operations["compaction.expand"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/pins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keep an entry in every prompt, or no longer. */
        post: operations["session.pin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start anew under the same name; what was said stays on the tape. */
        post: operations["session.reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/retry/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Have a turn answered anew; the old answer is taken out. */
        post: operations["chat.retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was said and done, entry by entry. */
        get: operations["session.transcript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/tree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The conversations that come from one another, with their checkpoints. */
        get: operations["checkpoint.tree"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hand over finished turns: they are read, and what they state is remembered. */
        post: operations["session.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/sessions/{session}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take the last turn out of the conversation; it stays on the tape. */
        post: operations["session.undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A link that signs one browser in, once. */
        post: operations["console.link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set or remove the console's password. Everybody is signed out. */
        post: operations["console.password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/places": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which principals and channels there are, and how much each of them has. */
        get: operations["console.places"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cron/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Scheduled prompts with their next time and their last outcome, newest first. */
        get: operations["cron.list"];
        put?: never;
        /** Let a prompt run by itself: by a cron expression, every so often, or once. */
        post: operations["cron.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cron/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One scheduled prompt. */
        get: operations["cron.get"];
        put?: never;
        /** Change a scheduled prompt; what is not given stays as it is. */
        post: operations["cron.update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cron/jobs/{job}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete a scheduled prompt; its history stays. */
        post: operations["cron.delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cron/jobs/{job}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Switch a scheduled prompt off; what waits does not begin any more. */
        post: operations["cron.disable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cron/jobs/{job}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Switch a scheduled prompt on, from its next slot. */
        post: operations["cron.enable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cron/jobs/{job}/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** When a scheduled prompt is due next. */
        get: operations["cron.next"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cron/jobs/{job}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run a scheduled prompt now, besides its schedule. */
        post: operations["cron.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cron/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What became of each slot, of one scheduled prompt or of all, newest first. */
        get: operations["cron.history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/demo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the sample history is there. */
        get: operations["demo.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/demo/load": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Load a sample history in a principal of its own; once it is there, nothing happens. */
        post: operations["demo.load"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/demo/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Destroy every trace of the sample's text; the chain stays whole. */
        post: operations["demo.remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Look for anything wrong with this installation. */
        get: operations["system.doctor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which ids begin so: for a person who types the first characters of one. */
        get: operations["system.find_ids"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the daemon does by itself, when it is due, and how it went. */
        get: operations["jobs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs that did something, failed or were asked for, newest first. */
        get: operations["jobs.history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a job not run by itself until it is resumed. */
        post: operations["jobs.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a paused job run by itself again. */
        post: operations["jobs.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{name}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run a job now, and wait for what comes of it. */
        post: operations["jobs.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same bundle line by line: append each to its file, and a stranger can verify them. */
        get: operations["journal.bundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign the journal as it is now. */
        post: operations["journal.checkpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Destroy the payloads of events; the chain stays whole. */
        post: operations["journal.erase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List events, page by page. */
        get: operations["journal.list"];
        put?: never;
        /** Append an event of your own kind. */
        post: operations["journal.append"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/events/{reference}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One event, by its id or its place in the chain. */
        get: operations["journal.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Write a bundle that a stranger can verify, to a path on the daemon's machine. */
        post: operations["journal.export"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Prove that an event is in the journal, or that nothing before a size was changed. */
        get: operations["journal.prove"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Drop every projection and replay the journal. */
        post: operations["journal.rebuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Size, root and how fast writes are. */
        get: operations["journal.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/tail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events from a place on, and with `follow` those still to come. */
        get: operations["journal.tail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/journal/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check the whole chain, its checkpoints and its projections. */
        post: operations["journal.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/learning/candidates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was learned: by default what waits for a decision, in the order it was proposed. */
        get: operations["learning.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/learning/candidates/{candidate_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One candidate with the words it rests on, what is like it or contradicts it, and its history. */
        get: operations["learning.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/learning/candidates/{candidate_id}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve a candidate, as it is or reworded, reject it, or let it wait again. */
        post: operations["learning.decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/learning/candidates/{candidate_id}/quarantine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take out everything that holds what was learned, in one step. */
        post: operations["learning.quarantine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/learning/candidates/{candidate_id}/radius": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What one thing that was learned has touched. */
        get: operations["learning.radius"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/learning/candidates/{candidate_id}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undo what became of a candidate. */
        post: operations["learning.rollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/learning/candidates/{candidate_id}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Put a candidate off. */
        post: operations["learning.snooze"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/learning/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide about many candidates, each by itself. */
        post: operations["learning.decide_many"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/learning/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The preferences that stand in prompts, newest first. */
        get: operations["learning.preferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/learning/reflect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read the runs that wait now, whatever the cooldown. */
        post: operations["learning.reflect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/about": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is remembered about a person, a place or a thing: what holds, what changed when, where it was said. */
        get: operations["memory.about"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/candidates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a person's decision. */
        get: operations["memory.candidates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/candidates/{candidate_id}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve a candidate, as it is or edited, or reject it. */
        post: operations["memory.decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/candidates/{candidate_id}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take a decision back: the candidate waits again, and what it became is forgotten. */
        post: operations["memory.reopen"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/conflicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Pairs that contradict each other and that nobody has settled, the newest first. */
        get: operations["memory.conflicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/conflicts/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say which of two that contradict each other holds, or that both do. */
        post: operations["memory.settle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take memories out; their history stays. */
        post: operations["memory.delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Destroy every trace of the texts. The answer is the certificate. */
        post: operations["memory.erase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every memory in sight. */
        get: operations["memory.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/external": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the mirror of the vectors stands, and how it keeps what is promised of it. */
        get: operations["external.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/external/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compare what the engine has with what it should have, by content. */
        post: operations["external.drift"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/external/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mirror everything anew; searches go on meanwhile. */
        post: operations["external.rebuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/external/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compare, and put right what differs. */
        post: operations["external.reconcile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take in a JSON Lines file that lies on the daemon's machine. */
        post: operations["memory.import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/index": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Wait until every memory has its vector. */
        post: operations["memory.index"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Memories in sight, in the order they were made or the other way round, page by page. */
        get: operations["memory.list"];
        put?: never;
        /** Remember a text. */
        post: operations["memory.retain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/items/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remember many texts, in order; every one is checked before the first is written. */
        post: operations["memory.retain_many"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/items/{memory_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One memory, with what contradicts it. */
        get: operations["memory.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Correct, retag, pin or set to expire; the old text stays answerable as of its time. */
        patch: operations["memory.update"];
        trace?: never;
    };
    "/v1/memory/items/{memory_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who changed what, when and why. */
        get: operations["memory.history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/items/{old_id}/supersede": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that one memory has taken the place of another. */
        post: operations["memory.supersede"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/maintain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Expire and evict what retention says, now. */
        post: operations["memory.maintain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/privacy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is held that is sensitive: how much, of which kind, about whom; none of its words. */
        get: operations["memory.privacy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete what is scoped to a channel or session, or all that is in sight. */
        post: operations["memory.purge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The block of memories to give to an agent, with a receipt. */
        post: operations["memory.recall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make memory again what was taken out. */
        post: operations["memory.restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find memories, best first. */
        post: operations["memory.search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How much is remembered, and how the index stands. */
        get: operations["memory.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/tidy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List, take out or bring back messages that were kept whole and out of which nothing would be kept today. */
        post: operations["memory.tidy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a decision, held or learned, in the order it came; or what was decided. */
        get: operations["review.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/review/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve, reject or take back: one, many, or all that a filter means. Each by itself. */
        post: operations["review.decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/review/{proposal_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of them. */
        get: operations["review.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How this installation stands, at a glance. */
        get: operations["system.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every token, also those expired and revoked. */
        get: operations["token.list"];
        put?: never;
        /** Make a token. The answer is the only place where it is ever shown. */
        post: operations["token.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{token_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a token useless, from now on. */
        post: operations["token.revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete a document; its revisions stay. */
        post: operations["workspace.delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What changed from one revision to another. */
        get: operations["workspace.diff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/document": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a document says, or said. */
        get: operations["workspace.get"];
        put?: never;
        /** Write a document; refused if it is not what the writer has read. */
        post: operations["workspace.write"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The documents, by path, now or at a moment in the past. */
        get: operations["workspace.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Destroy every revision of a document, and its file. The answer is the certificate. */
        post: operations["workspace.erase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give a document another path. */
        post: operations["workspace.move"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark a document as one to keep at hand, or no longer. */
        post: operations["workspace.pin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a quarantined text be used: that very text, and no later one. */
        post: operations["workspace.release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/repair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make managed blocks that were changed by hand writable again. */
        post: operations["workspace.repair"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bring an earlier text back, as a new revision. */
        post: operations["workspace.restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find words in the documents, section by section. */
        post: operations["workspace.search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether files and journal are in step, and what is in the way. */
        get: operations["workspace.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every revision of a document, newest first. */
        get: operations["workspace.versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** About */
        About: {
            also: string[];
            changed: components["schemas"]["Changed"][];
            holds: components["schemas"]["Item"][];
            name: string;
        };
        /** AddAttachment */
        AddAttachment: {
            /** @default null */
            channel: string | null;
            data: string;
            name: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            session: string | null;
        };
        /**
         * AddTurns
         * @description Finished turns of a session, which is made if there is none of that key.
         */
        AddTurns: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            session: string;
            turns: components["schemas"]["HandedTurn"][];
            /** @default 0 */
            wait_ms: number;
        };
        /** AppendEvent */
        AppendEvent: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            /** @default null */
            id: string | null;
            kind: string;
            /** @default null */
            occurred_at_ms: number | null;
            payload: Record<string, never>;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            /** @default null */
            run_id: string | null;
            /** @default null */
            session_id: string | null;
            /** @default 1 */
            v: number;
        };
        /** Appended */
        Appended: {
            event_id: string;
            hash: string;
            recorded_at_ms: number;
            repeated: boolean;
            seq: number;
        };
        /** ApplyCompaction */
        ApplyCompaction: {
            /** @default null */
            channel: string | null;
            /** @default false */
            force: boolean;
            /** @default null */
            plan_id: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            session: string;
        };
        /** ArchiveSession */
        ArchiveSession: {
            /** @default true */
            archived: boolean;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            session: string;
        };
        /** AskAbout */
        AskAbout: {
            /** @default null */
            channel: string | null;
            name: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** AttachmentData */
        AttachmentData: {
            data: string;
            info: components["schemas"]["AttachmentInfo"];
            text: string;
        };
        /** AttachmentInfo */
        AttachmentInfo: {
            attachment_id: string;
            height: number | null;
            media_type: string;
            name: string;
            size_bytes: number;
            text_chars: number;
            warnings: string[];
            width: number | null;
        };
        /** Backup */
        Backup: {
            created_at_ms: number;
            head: string;
            path: string;
            root: string;
            schema: number;
            size: number;
        };
        /** BranchSession */
        BranchSession: {
            /** @default null */
            channel: string | null;
            /** @default null */
            key: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            /** @default null */
            run_id: string | null;
            session: string;
            /** @default  */
            title: string;
        };
        /** BuildIndex */
        BuildIndex: Record<string, never>;
        /** BundleLine */
        BundleLine: {
            file: string;
            line: string;
        };
        /** CandidatePage */
        CandidatePage: {
            candidates: components["schemas"]["HeldCandidate"][];
            next_after_seq: number | null;
        };
        /** Changed */
        Changed: {
            after: components["schemas"]["Item"] | null;
            before: components["schemas"]["Item"];
        };
        /** Check */
        Check: {
            hint: string;
            level: string;
            message: string;
            name: string;
        };
        /** CheckpointInfo */
        CheckpointInfo: {
            at_ms: number;
            checkpoint_id: string;
            compactions: string[];
            documents: components["schemas"]["MarkedDocument"][];
            line: string;
            name: string;
            note: string;
            seq: number;
            session_id: string;
            tags: string[];
            tape_seq: number;
        };
        /** CheckpointMade */
        CheckpointMade: {
            file: string;
            note: string;
            origin: string;
            root: string;
            size: number;
            verifier_key: string;
        };
        /** CheckpointPage */
        CheckpointPage: {
            checkpoints: components["schemas"]["CheckpointInfo"][];
            next_before_seq: number | null;
        };
        /** CompactionInfo */
        CompactionInfo: {
            at_ms: number;
            candidates: components["schemas"]["DurableCandidateInfo"][];
            checkpoint_id: string | null;
            compaction_id: string;
            documents: string[];
            dropped: number;
            from_seq: number;
            held: string[];
            in_force: boolean;
            loss: components["schemas"]["LossInfo"];
            messages: number;
            notices: string[];
            planner: string;
            refused: components["schemas"]["Refusal"][];
            session_id: string;
            stored: string[];
            strategy: string;
            summary: string;
            to_seq: number;
            tokens_after: number;
            tokens_before: number;
        };
        /** CompactionList */
        CompactionList: {
            compactions: components["schemas"]["CompactionInfo"][];
        };
        /** CompactionPreview */
        CompactionPreview: {
            candidates: components["schemas"]["DurableCandidateInfo"][];
            dropped: number;
            from_seq: number;
            loss: components["schemas"]["LossInfo"];
            messages: number;
            notices: string[];
            plan_id: string;
            planner: string;
            session_id: string;
            strategy: string;
            summary: string;
            to_seq: number;
            tokens_after: number;
            tokens_before: number;
        };
        /** CompareCheckpoints */
        CompareCheckpoints: {
            /** @default null */
            channel: string | null;
            checkpoint: string;
            /** @default null */
            other: string | null;
            /** @default null */
            principal: string | null;
        };
        /** Comparison */
        Comparison: {
            documents: components["schemas"]["DocumentDifference"][];
            memories: components["schemas"]["MemoryDifference"][];
            only_first: components["schemas"]["RunGlance"][];
            only_first_count: number;
            only_second: components["schemas"]["RunGlance"][];
            only_second_count: number;
            shared_runs: number;
        };
        /** ConflictLink */
        ConflictLink: {
            memory_id: string;
            reasons: string[];
        };
        /** ConflictPage */
        ConflictPage: {
            conflicts: components["schemas"]["OpenConflict"][];
            next_before_seq: number | null;
        };
        /** CreateBackup */
        CreateBackup: {
            /** @default null */
            path: string | null;
        };
        /** CreateCheckpoint */
        CreateCheckpoint: {
            /** @default null */
            channel: string | null;
            /** @default  */
            name: string;
            /** @default  */
            note: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            session: string;
            /** @default [] */
            tags: string[];
        };
        /** CreateCronJob */
        CreateCronJob: {
            /** @default null */
            at: string | null;
            /** @default null */
            backoff: string | null;
            /** @default null */
            channel: string | null;
            /** @default null */
            concurrency: string | null;
            /** @default null */
            cron: string | null;
            /** @default true */
            enabled: boolean;
            /** @default null */
            every: string | null;
            /** @default null */
            jitter: string | null;
            /** @default null */
            misfire: string | null;
            /** @default null */
            name: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            prompt: string | null;
            /** @default null */
            request_id: string | null;
            /** @default null */
            retries: number | null;
            /** @default null */
            session: string | null;
            /** @default null */
            zone: string | null;
        };
        /** CreateSession */
        CreateSession: {
            /** @default null */
            channel: string | null;
            /** @default null */
            key: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            /** @default  */
            title: string;
        };
        /** CreateToken */
        CreateToken: {
            /** @default agent */
            actor: string;
            /**
             * @default [
             *       "read",
             *       "write"
             *     ]
             */
            capabilities: string[];
            /** @default [] */
            channels: string[];
            /** @default  */
            label: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            ttl_ms: number | null;
        };
        /** CronHistory */
        CronHistory: {
            /** @default 0 */
            before_seq: number;
            /** @default null */
            channel: string | null;
            /** @default null */
            job: string | null;
            /** @default 50 */
            limit: number;
            /** @default null */
            principal: string | null;
        };
        /** CronJobInfo */
        CronJobInfo: {
            backoff_ms: number;
            changed_at_ms: number;
            channel: string | null;
            concurrency: string;
            created_at_ms: number;
            deleted: boolean;
            description: string;
            enabled: boolean;
            jitter_ms: number;
            job_id: string;
            kind: string;
            last_run: components["schemas"]["CronRunInfo"] | null;
            made_by: string;
            misfire: string;
            name: string;
            next_at_ms: number | null;
            next_local: string | null;
            principal: string;
            prompt: string;
            retries: number;
            schedule: string;
            seq: number;
            session: string;
            session_id: string | null;
            zone: string;
        };
        /** CronJobPage */
        CronJobPage: {
            jobs: components["schemas"]["CronJobInfo"][];
            next_before_seq: number | null;
        };
        /** CronRunInfo */
        CronRunInfo: {
            attempt: number;
            begun_at_ms: number | null;
            claimed_at_ms: number;
            count: number;
            ended_at_ms: number | null;
            error_code: string;
            job_id: string;
            job_name: string;
            manual: boolean;
            more: boolean;
            not_before_ms: number;
            run_id: string;
            seq: number;
            session_id: string | null;
            session_run_id: string | null;
            slot_ms: number;
            state: string;
            until_ms: number;
        };
        /** CronRunPage */
        CronRunPage: {
            next_before_seq: number | null;
            runs: components["schemas"]["CronRunInfo"][];
        };
        /** CronTime */
        CronTime: {
            at_ms: number;
            local: string;
        };
        /** CronTimes */
        CronTimes: {
            job_id: string;
            times: components["schemas"]["CronTime"][];
            zone: string;
        };
        /** DecideCandidate */
        DecideCandidate: {
            /** @default null */
            actor: string | null;
            approve: boolean;
            candidate_id: string;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default null */
            request_id: string | null;
            /** @default null */
            session_id: string | null;
            /** @default null */
            text: string | null;
        };
        /** DecideLearned */
        DecideLearned: {
            /** @default null */
            actor: string | null;
            candidate_id: string;
            /** @default null */
            channel: string | null;
            decision: string;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default null */
            request_id: string | null;
            /** @default null */
            text: string | null;
        };
        /** DecideManyLearned */
        DecideManyLearned: {
            /** @default null */
            actor: string | null;
            candidate_ids: string[];
            /** @default null */
            channel: string | null;
            decision: string;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
        };
        /** DecideTool */
        DecideTool: {
            approve: boolean;
            call_id: string;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            run_id: string;
        };
        /** DecidedMany */
        DecidedMany: {
            decided: number;
            outcomes: components["schemas"]["DecidedOne"][];
        };
        /** DecidedOne */
        DecidedOne: {
            candidate: components["schemas"]["LearnedCandidate"] | null;
            candidate_id: string;
            error: components["schemas"]["WhyNot"] | null;
        };
        /** DeleteDocument */
        DeleteDocument: {
            /** @default null */
            base_sha256: string | null;
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            path: string;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default null */
            request_id: string | null;
        };
        /** DeleteItems */
        DeleteItems: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            memory_ids: string[];
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** Deleted */
        Deleted: {
            deleted: number;
            /** @default false */
            repeated: boolean;
            /** @default null */
            seq: number | null;
        };
        /** DemoLoaded */
        DemoLoaded: {
            events: number;
            principal: string;
            repeated: boolean;
            session: string;
            took_ms: number;
        };
        /** DemoRemoved */
        DemoRemoved: {
            certificate: string | null;
            checkpoint: string;
            erased: number;
            principal: string;
            untouched_copies: string[];
        };
        /** DemoStatus */
        DemoStatus: {
            events: number;
            principal: string;
            session: string;
            state: string;
        };
        /** DiffDocument */
        DiffDocument: {
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            /** @default null */
            new: number | null;
            old: number;
            path: string;
            /** @default null */
            principal: string | null;
        };
        /** DocumentDiff */
        DocumentDiff: {
            diff: string;
        };
        /** DocumentDifference */
        DocumentDifference: {
            change: string;
            diff: string;
            missing: string[];
            path: string;
        };
        /** DocumentHit */
        DocumentHit: {
            /** @default null */
            breakdown: {
                [key: string]: number;
            } | null;
            heading: string;
            line_number: number;
            path: string;
            revision: number;
            risk: string;
            score: number;
            snippet: string;
            trust: string;
        };
        /** DocumentHits */
        DocumentHits: {
            degraded: string[];
            hits: components["schemas"]["DocumentHit"][];
        };
        /** DocumentInfo */
        DocumentInfo: {
            actor: string;
            at_ms: number;
            because: string;
            binding: string;
            deleted: boolean;
            document_class: string;
            file: string;
            kind: string;
            line: string;
            masked: boolean;
            moved_from: string;
            path: string;
            pinned: boolean;
            problem: string;
            reason: string;
            reasons: string[];
            released: boolean;
            revision: number;
            risk: string;
            seq: number;
            sha256: string;
            source: string;
            trust: string;
        };
        /** DocumentText */
        DocumentText: {
            actor: string;
            at_ms: number;
            because: string;
            binding: string;
            deleted: boolean;
            document_class: string;
            edited_blocks: string[];
            file: string;
            kind: string;
            line: string;
            masked: boolean;
            moved_from: string;
            path: string;
            pinned: boolean;
            problem: string;
            reason: string;
            reasons: string[];
            released: boolean;
            revision: number;
            risk: string;
            seq: number;
            sha256: string;
            source: string;
            text: string;
            trust: string;
        };
        /** Documents */
        Documents: {
            documents: components["schemas"]["DocumentInfo"][];
        };
        /** DueJob */
        DueJob: {
            is_running: boolean;
            name: string;
            next_due_ms: number;
        };
        /** DurableCandidateInfo */
        DurableCandidateInfo: {
            confidence: number;
            disposition: string;
            kind: string;
            reason: string;
            seqs: number[];
            target: string;
            text: string;
        };
        /** EraseDocument */
        EraseDocument: {
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            path: string;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
        };
        /** EraseEvents */
        EraseEvents: {
            event_ids: string[];
            /** @default asked for */
            reason: string;
        };
        /** EraseMemory */
        EraseMemory: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            ids: string[];
            /** @default null */
            principal: string | null;
            /** @default asked for */
            reason: string;
            /** @default null */
            session_id: string | null;
        };
        /** EraseSession */
        EraseSession: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default [] */
            run_ids: string[];
            session: string;
        };
        /** Erased */
        Erased: {
            erased_by: number;
            event_id: string;
            repeated: boolean;
            seq: number;
        };
        /** Erasures */
        Erasures: {
            certificate: components["schemas"]["Proof"][];
            checkpoint: string;
            erased: components["schemas"]["Erased"][];
            untouched_copies: string[];
        };
        Error: {
            error: {
                /** @enum {string} */
                code: "invalid_argument" | "too_large" | "unauthenticated" | "permission_denied" | "not_found" | "already_exists" | "conflict" | "failed_precondition" | "exhausted" | "unavailable" | "deadline" | "cancelled" | "integrity" | "internal";
                details: Record<string, never>;
                hint: string;
                message: string;
                request_id: string | null;
            };
        };
        /** Event */
        Event: {
            actor: string;
            channel: string | null;
            commitment: string;
            erased: boolean;
            event_id: string;
            hash: string;
            kind: string;
            occurred_at_ms: number;
            payload: unknown;
            prev_hash: string;
            principal: string;
            recorded_at_ms: number;
            request_id: string | null;
            run_id: string | null;
            seq: number;
            session_id: string | null;
            v: number;
        };
        /** EventPage */
        EventPage: {
            events: components["schemas"]["Event"][];
            next_after_seq: number | null;
        };
        /**
         * EvidenceQuote
         * @description Empty words: erased since, or out of sight.
         */
        EvidenceQuote: {
            at_ms: number;
            event_id: string;
            message: string;
            run_id: string;
            seq: number;
            session_id: string;
            words: string;
        };
        /** Examination */
        Examination: {
            checks: components["schemas"]["Check"][];
            data_dir: string;
            ok: boolean;
        };
        /** Examine */
        Examine: Record<string, never>;
        /** ExpandCompaction */
        ExpandCompaction: {
            /** @default 0 */
            after_seq: number;
            /** @default null */
            channel: string | null;
            /** @default null */
            from_seq: number | null;
            /** @default 500 */
            limit: number;
            /** @default null */
            principal: string | null;
            session: string;
            /** @default null */
            to_seq: number | null;
        };
        /** ExpandedEntries */
        ExpandedEntries: {
            compaction_id: string | null;
            entries: components["schemas"]["TapeEntry"][];
            next_after_seq: number | null;
        };
        /**
         * Explanation
         * @description Why a run said what it said: what its prompts were made of.
         */
        Explanation: {
            answer: string;
            injections: Record<string, never>[];
            left: components["schemas"]["LeftOnTape"][];
            notices: Record<string, never>[];
            question: string;
            references: Record<string, never>[];
            reports: Record<string, never>[];
            run: components["schemas"]["RunInfo"];
            tools: Record<string, never>[];
        };
        /** ExplicitRecall */
        ExplicitRecall: {
            /** @default [] */
            memory_ids: string[];
            /** @default null */
            query: string | null;
            /** @default null */
            top_k: number | null;
        };
        /** ExportJournal */
        ExportJournal: {
            path: string;
        };
        /** ExportMemory */
        ExportMemory: {
            /** @default null */
            channel: string | null;
            /** @default false */
            include_past: boolean;
            /** @default null */
            principal: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** ExportSession */
        ExportSession: {
            /** @default null */
            channel: string | null;
            /** @default json */
            format: string;
            /** @default null */
            principal: string | null;
            session: string;
        };
        /** Exported */
        Exported: {
            bytes: number;
            path: string;
            root: string;
            size: number;
        };
        /** ExternalDrift */
        ExternalDrift: {
            at_ms: number;
            differences: number;
            differing: number;
            extra: number;
            items: number;
            missing: number;
            ranges: number;
        };
        /** ExternalObjective */
        ExternalObjective: {
            is_floor: boolean;
            is_met: boolean;
            name: string;
            target: number;
            unit: string;
            value: number | null;
        };
        /** ExternalShard */
        ExternalShard: {
            breaker: string;
            failures: number;
            held: number;
            last_error: string;
            name: string;
            principals: number;
        };
        /**
         * ExternalStanding
         * @description At a glance.
         */
        ExternalStanding: {
            objectives: components["schemas"]["ExternalObjective"][];
            provider: string;
            state: string;
        };
        /** ExternalStatus */
        ExternalStatus: {
            doubt: string;
            elsewhere: {
                [key: string]: number;
            };
            fallbacks: {
                [key: string]: number;
            };
            freshness_ms: number;
            last_drift: components["schemas"]["ExternalDrift"] | null;
            model: string;
            objectives: components["schemas"]["ExternalObjective"][];
            pending: number;
            provider: string;
            query_p50_ms: number | null;
            query_p95_ms: number | null;
            rejected: {
                [key: string]: number;
            };
            removed: number;
            searches: number;
            sent: number;
            shards: components["schemas"]["ExternalShard"][];
            state: string;
            unread_events: number;
            watermark: number;
        };
        /** FindDrift */
        FindDrift: Record<string, never>;
        /** FindIds */
        FindIds: {
            beginning: string;
            kinds: string[];
            /** @default null */
            principal: string | null;
        };
        /** FollowRun */
        FollowRun: {
            /** @default 0 */
            after_seq: number;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            run_id: string;
        };
        /** FoundIds */
        FoundIds: {
            ids: string[];
        };
        /**
         * FoundPassage
         * @description What another source than memory says.
         */
        FoundPassage: {
            /** @default null */
            breakdown: {
                [key: string]: number;
            } | null;
            profile: string;
            said_at_ms: number;
            score: number;
            snippet: string;
            speaker: string;
            text: string;
            trust: string;
            where: components["schemas"]["Where"];
        };
        /** GetAttachment */
        GetAttachment: {
            attachment_id: string;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            session: string | null;
        };
        /** GetDemoStatus */
        GetDemoStatus: Record<string, never>;
        /** GetDocument */
        GetDocument: {
            /** @default null */
            as_of_ms: number | null;
            /** @default null */
            as_of_seq: number | null;
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            path: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            revision: number | null;
        };
        /** GetEvent */
        GetEvent: {
            reference: string;
        };
        /** GetExternalStatus */
        GetExternalStatus: Record<string, never>;
        /** GetItem */
        GetItem: {
            /** @default null */
            channel: string | null;
            memory_id: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            session_id: string | null;
        };
        /**
         * GetLearned
         * @description `candidate_id` may be its beginning, of at least six characters.
         */
        GetLearned: {
            /** @default null */
            actor: string | null;
            candidate_id: string;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
        };
        /** GetMemoryStatus */
        GetMemoryStatus: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** GetModel */
        GetModel: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
        };
        /** GetPrivacyReport */
        GetPrivacyReport: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** GetProposal */
        GetProposal: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            proposal_id: string;
        };
        /** GetStatus */
        GetStatus: Record<string, never>;
        /** GetSystemStatus */
        GetSystemStatus: Record<string, never>;
        /** GetTranscript */
        GetTranscript: {
            /** @default 0 */
            after_seq: number;
            /** @default null */
            before_seq: number | null;
            /** @default null */
            channel: string | null;
            /** @default false */
            everything: boolean;
            /** @default 500 */
            limit: number;
            /** @default false */
            newest: boolean;
            /** @default null */
            principal: string | null;
            session: string;
        };
        /** GetWorkspace */
        GetWorkspace: {
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            /** @default null */
            principal: string | null;
        };
        /**
         * HandedTurn
         * @description One turn of a conversation that is over.
         */
        HandedTurn: {
            role: string;
            /** @default null */
            said_at_ms: number | null;
            /** @default  */
            speaker: string;
            text: string;
            /** @default  */
            turn_id: string;
        };
        /** HeldCandidate */
        HeldCandidate: {
            because: string[];
            candidate_id: string;
            category: string;
            confidence: number;
            held_at_ms: number;
            memory_id: string | null;
            provenance: string[];
            risks: string[];
            sensitive: string[];
            sensitivity: string;
            seq: number;
            source: string;
            state: string;
            text: string;
            trust: string;
        };
        /** HistoryEvent */
        HistoryEvent: {
            actor: string;
            at_ms: number;
            body: Record<string, never> | null;
            event_id: string;
            kind: string;
            seq: number;
        };
        /** ImportMemory */
        ImportMemory: {
            /** @default null */
            channel: string | null;
            path: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            session_id: string | null;
            /** @default false */
            vouch: boolean;
        };
        /** Imported */
        Imported: {
            lines: number;
            outcomes: {
                [key: string]: number;
            };
        };
        /** IndexBuilt */
        IndexBuilt: {
            done: number;
            embedded: number;
            error: string | null;
            model: string;
            pending: number;
            total: number;
        };
        /** Item */
        Item: {
            category: string;
            channel: string | null;
            closed_at_ms: number | null;
            closed_why: string | null;
            confidence: number;
            content_hash: string;
            created_at_ms: number;
            expires_at_ms: number | null;
            last_recalled_at_ms: number | null;
            memory_id: string;
            pinned: boolean;
            principal: string;
            provenance: string[];
            recall_count: number;
            said_at_ms: number;
            scope: string;
            sensitive: string[];
            sensitivity: string;
            seq: number;
            session_id: string | null;
            source: string;
            speaker: string;
            superseded_by: string | null;
            supersedes: string | null;
            tags: string[];
            text: string;
            thread: string;
            trust: string;
            updated_at_ms: number;
            valid_from_ms: number;
            valid_to_ms: number | null;
        };
        /** ItemDetail */
        ItemDetail: {
            conflicts: components["schemas"]["ConflictLink"][];
            item: components["schemas"]["Item"];
        };
        /** ItemHistory */
        ItemHistory: {
            events: components["schemas"]["HistoryEvent"][];
            memory_id: string;
        };
        /** ItemPage */
        ItemPage: {
            items: components["schemas"]["Item"][];
            next_after: string | null;
        };
        /** Job */
        Job: {
            attention: string;
            every_ms: number | null;
            failed_runs: number;
            failures: number;
            is_alarm: boolean;
            is_running: boolean;
            is_stuck: boolean;
            last_error: string | null;
            last_items: number;
            last_ms: number | null;
            last_started_ms: number | null;
            last_success_ms: number | null;
            name: string;
            next_due_ms: number | null;
            paused_by: string | null;
            rhythm: string;
            runs: number;
        };
        /** JobRun */
        JobRun: {
            attention: string;
            code: string;
            error: string;
            items: number;
            name: string;
            notes: string[];
            started_at_ms: number | null;
            state: string;
            took_ms: number | null;
        };
        /** JobRuns */
        JobRuns: {
            next_before_seq: number | null;
            runs: components["schemas"]["RecordedRun"][];
        };
        /** Jobs */
        Jobs: {
            jobs: components["schemas"]["Job"][];
            serving: boolean;
        };
        /** JournalStatus */
        JournalStatus: {
            database_bytes: number;
            refuses_writes: string | null;
            root: string;
            size: number;
            unsigned_events: number;
            wal_bytes: number;
            writes: components["schemas"]["WriteStats"];
        };
        /** KeptDocument */
        KeptDocument: {
            path: string;
            why: string;
        };
        /** LearnedCandidate */
        LearnedCandidate: {
            about: string;
            basis: string[];
            because: string[];
            candidate_id: string;
            channel: string | null;
            confidence: number;
            conflicts: string[];
            document: string;
            evidence: components["schemas"]["EvidenceQuote"][];
            extractor: string;
            kind: string;
            memory_id: string | null;
            principal: string;
            proposed_at_ms: number;
            risks: string[];
            run_id: string;
            sensitive: string[];
            sensitivity: string;
            seq: number;
            session_id: string;
            similar: string[];
            snoozed_until_ms: number | null;
            state: string;
            steps: string[];
            text: string;
            title: string;
            trust: string;
            updated_at_ms: number;
        };
        /** LearnedDetail */
        LearnedDetail: {
            candidate: components["schemas"]["LearnedCandidate"];
            conflicts: components["schemas"]["Item"][];
            history: components["schemas"]["LearnedStep"][];
            similar: components["schemas"]["Item"][];
        };
        /** LearnedPage */
        LearnedPage: {
            candidates: components["schemas"]["LearnedCandidate"][];
            counts: {
                [key: string]: number;
            };
            held_texts: number;
            next_after_seq: number | null;
            queued_runs: number;
            snoozed: number;
        };
        /** LearnedQuarantined */
        LearnedQuarantined: {
            documents: string[];
            forgotten: string[];
            radius: components["schemas"]["LearnedRadius"];
            refused: components["schemas"]["KeptDocument"][];
            reinstated: string[];
        };
        /** LearnedRadius */
        LearnedRadius: {
            candidate: components["schemas"]["LearnedCandidate"];
            candidates: components["schemas"]["LearnedCandidate"][];
            documents: string[];
            memories: components["schemas"]["Item"][];
            replaced: components["schemas"]["Item"][];
            runs: components["schemas"]["ShownIn"][];
        };
        /** LearnedStep */
        LearnedStep: {
            actor: string;
            at_ms: number;
            reason: string;
            seq: number;
            state: string;
            text: string;
        };
        /**
         * LeftOnTape
         * @description What a turn says and memory does not keep; the tape does.
         */
        LeftOnTape: {
            event_id: string;
            reason: string;
            text: string;
            turn: number;
            why: string;
        };
        /** LeftToday */
        LeftToday: {
            because: string;
            meaning: string;
            memory_id: string;
            text: string;
        };
        /** LineConflict */
        LineConflict: {
            block_id: string | null;
            item_id: string | null;
            line: number;
            ours: string;
            theirs: string;
        };
        /** Lineage */
        Lineage: {
            active_runs: components["schemas"]["RunInfo"][];
            ancestors: components["schemas"]["SessionInfo"][];
            branches: components["schemas"]["SessionInfo"][];
            session: components["schemas"]["SessionInfo"];
        };
        /** ListCandidates */
        ListCandidates: {
            /** @default 0 */
            after_seq: number;
            /** @default null */
            channel: string | null;
            /** @default 50 */
            limit: number;
            /** @default null */
            principal: string | null;
            /** @default null */
            session_id: string | null;
            /** @default needs_review */
            state: string;
        };
        /** ListCheckpoints */
        ListCheckpoints: {
            /** @default 0 */
            before_seq: number;
            /** @default null */
            channel: string | null;
            /** @default 50 */
            limit: number;
            /** @default null */
            principal: string | null;
            /** @default null */
            session: string | null;
        };
        /** ListCompactions */
        ListCompactions: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            session: string;
        };
        /** ListConflicts */
        ListConflicts: {
            /** @default 0 */
            before_seq: number;
            /** @default null */
            channel: string | null;
            /** @default 50 */
            limit: number;
            /** @default null */
            principal: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** ListCronJobs */
        ListCronJobs: {
            /** @default 0 */
            before_seq: number;
            /** @default null */
            channel: string | null;
            /** @default 50 */
            limit: number;
            /** @default null */
            principal: string | null;
        };
        /** ListDocuments */
        ListDocuments: {
            /** @default null */
            as_of_ms: number | null;
            /** @default null */
            as_of_seq: number | null;
            /** @default null */
            channel: string | null;
            /** @default false */
            deleted: boolean;
            /** @default  */
            line: string;
            /** @default  */
            prefix: string;
            /** @default null */
            principal: string | null;
        };
        /** ListEvents */
        ListEvents: {
            /** @default null */
            actor: string | null;
            /** @default 0 */
            after_seq: number;
            /** @default null */
            channel: string | null;
            /** @default null */
            from_id: string | null;
            /** @default null */
            kind: string | null;
            /** @default 50 */
            limit: number;
            /** @default false */
            newest_first: boolean;
            /** @default null */
            principal: string | null;
            /** @default null */
            run_id: string | null;
            /** @default null */
            session_id: string | null;
            /** @default null */
            since_ms: number | null;
            /** @default null */
            to_id: string | null;
            /** @default null */
            until_ms: number | null;
        };
        /** ListItems */
        ListItems: {
            /** @default  */
            after: string;
            /** @default [] */
            categories: string[];
            /** @default null */
            channel: string | null;
            /** @default false */
            include_past: boolean;
            /** @default 50 */
            limit: number;
            /** @default false */
            newest_first: boolean;
            /** @default null */
            principal: string | null;
            /** @default null */
            session_id: string | null;
            /** @default [] */
            sources: string[];
            /** @default [] */
            tags: string[];
            /** @default [] */
            trusts: string[];
        };
        /** ListJobRuns */
        ListJobRuns: {
            /** @default null */
            before_seq: number | null;
            /** @default 50 */
            limit: number;
            /** @default null */
            name: string | null;
        };
        /** ListJobs */
        ListJobs: Record<string, never>;
        /** ListLearned */
        ListLearned: {
            /** @default null */
            actor: string | null;
            /** @default 0 */
            after_seq: number;
            /** @default null */
            channel: string | null;
            /** @default [] */
            kinds: string[];
            /** @default 50 */
            limit: number;
            /** @default null */
            principal: string | null;
            /** @default false */
            snoozed: boolean;
            /**
             * @default [
             *       "waiting"
             *     ]
             */
            states: string[];
            /** @default false */
            with_evidence: boolean;
        };
        /** ListPlaces */
        ListPlaces: Record<string, never>;
        /** ListPreferences */
        ListPreferences: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
        };
        /** ListProposals */
        ListProposals: {
            /** @default null */
            actor: string | null;
            /** @default 0 */
            after_seq: number;
            /** @default  */
            batch: string;
            /** @default null */
            channel: string | null;
            /** @default  */
            kind: string;
            /** @default 100 */
            limit: number;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default false */
            snoozed: boolean;
            /** @default  */
            source: string;
            /** @default  */
            state: string;
            /** @default  */
            subject: string;
        };
        /** ListSessions */
        ListSessions: {
            /** @default null */
            after_session_key: string | null;
            /** @default false */
            archived: boolean;
            /** @default null */
            channel: string | null;
            /** @default 50 */
            limit: number;
            /** @default null */
            principal: string | null;
        };
        /** ListTokens */
        ListTokens: {
            /** @default  */
            after: string;
            /** @default 100 */
            limit: number;
        };
        /** LoadDemo */
        LoadDemo: Record<string, never>;
        /** LoginLink */
        LoginLink: {
            expires_in_ms: number;
            link: string;
        };
        /**
         * LossInfo
         * @description Where the statements of the condensed part are from now on, and which turns are not wholly in sight.
         */
        LossInfo: {
            facts: number;
            in_document: number;
            in_memory: number;
            in_summary: number;
            lost: components["schemas"]["LostFact"][];
            present: number;
            turns: number;
            turns_in_sight: number;
            unseen: components["schemas"]["UnseenTurnInfo"][];
        };
        /** LostFact */
        LostFact: {
            kind: string;
            seq: number;
            text: string;
        };
        /** Maintain */
        Maintain: {
            /** @default false */
            sure: boolean;
        };
        /** Maintenance */
        Maintenance: {
            at_ms: number;
            deferred: boolean;
            evicted: number;
            expired: number;
        };
        /** MakeCheckpoint */
        MakeCheckpoint: Record<string, never>;
        /** ManyRetained */
        ManyRetained: {
            results: components["schemas"]["Retained"][];
        };
        /** MarkedDocument */
        MarkedDocument: {
            path: string;
            revision: number;
            sha256: string;
        };
        /** MemoryDifference */
        MemoryDifference: {
            change: string;
            memory_id: string;
            seq: number;
            text: string;
        };
        /** MemoryStatus */
        MemoryStatus: {
            by_category: components["schemas"]["UsageCount"][];
            by_scope: components["schemas"]["UsageCount"][];
            by_source: components["schemas"]["UsageCount"][];
            bytes: number;
            embedding_error: string | null;
            embedding_model: string;
            index_bytes: number;
            items: number;
            last_maintenance: components["schemas"]["Maintenance"] | null;
            learned_waiting: number;
            max_bytes: number | null;
            max_entries: number | null;
            principal: string;
            serving_model: string;
            ttl_days: number | null;
            vectors: number;
            vectors_pending: number;
            waiting_for_review: number;
        };
        /** MergeBranch */
        MergeBranch: {
            /** @default null */
            channel: string | null;
            /** @default [] */
            mine: string[];
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            session: string;
            /** @default [] */
            theirs: string[];
        };
        /** MergedBranch */
        MergedBranch: {
            conflicts: components["schemas"]["PathConflict"][];
            deleted: string[];
            written: components["schemas"]["MarkedDocument"][];
        };
        /** Mirrored */
        Mirrored: {
            items: number;
            pending: number;
        };
        /** ModelStatus */
        ModelStatus: {
            active_runs: number;
            breaker: string;
            failures: number;
            last_error: string;
            max_output_tokens: number;
            model: string;
            provider: string;
            retry_at_ms: number | null;
            takes_images: boolean;
            takes_tools: boolean;
            window_tokens: number;
        };
        /** MoveDocument */
        MoveDocument: {
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            path: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            target: string;
        };
        /** NameCheckpoint */
        NameCheckpoint: {
            /** @default null */
            channel: string | null;
            checkpoint: string;
            /** @default null */
            principal: string | null;
        };
        /** NameCronJob */
        NameCronJob: {
            /** @default null */
            channel: string | null;
            job: string;
            /** @default null */
            principal: string | null;
        };
        /** NameDocument */
        NameDocument: {
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            path: string;
            /** @default null */
            principal: string | null;
        };
        /** NameLearned */
        NameLearned: {
            /** @default null */
            actor: string | null;
            candidate_id: string;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
        };
        /** NameRun */
        NameRun: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            run_id: string;
        };
        /** NameSession */
        NameSession: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            session: string;
        };
        /** NewLink */
        NewLink: Record<string, never>;
        /** NextCronTimes */
        NextCronTimes: {
            /** @default null */
            channel: string | null;
            /** @default 5 */
            count: number;
            job: string;
            /** @default null */
            principal: string | null;
        };
        /** NotRecalled */
        NotRecalled: {
            memory_id: string;
            score: number;
            why: string;
        };
        /** OpenConflict */
        OpenConflict: {
            newer: components["schemas"]["Item"];
            older: components["schemas"]["Item"];
            reasons: string[];
            seq: number;
        };
        /**
         * ParameterDelta
         * @description What one message wants otherwise.
         */
        ParameterDelta: {
            /** @default null */
            auto_inject: boolean | null;
            /** @default null */
            recall: components["schemas"]["ExplicitRecall"] | null;
            /** @default [] */
            references: string[];
        };
        /** PasswordSet */
        PasswordSet: {
            is_set: boolean;
        };
        /** PathConflict */
        PathConflict: {
            lines: components["schemas"]["LineConflict"][];
            path: string;
            what: string;
        };
        /** PauseJob */
        PauseJob: {
            name: string;
        };
        /** PinDocument */
        PinDocument: {
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            path: string;
            /** @default true */
            pinned: boolean;
            /** @default null */
            principal: string | null;
        };
        /** PinEntry */
        PinEntry: {
            /** @default null */
            channel: string | null;
            event_id: string;
            /** @default true */
            pinned: boolean;
            /** @default null */
            principal: string | null;
            session: string;
        };
        /** Place */
        Place: {
            channel: string | null;
            memories: number;
            principal: string;
            sessions: number;
        };
        /** Places */
        Places: {
            places: components["schemas"]["Place"][];
        };
        /** PreferenceInForce */
        PreferenceInForce: {
            about: string;
            candidate_id: string;
            memory_id: string;
            since_ms: number;
            text: string;
        };
        /** Preferences */
        Preferences: {
            preferences: components["schemas"]["PreferenceInForce"][];
        };
        /** PreviewCompaction */
        PreviewCompaction: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            session: string;
        };
        /** PreviewReferences */
        PreviewReferences: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            text: string;
        };
        /** PrivacyAnswer */
        PrivacyAnswer: {
            about: components["schemas"]["SensitiveAbout"][];
            holds_all: boolean;
            items: number;
            kinds: components["schemas"]["SensitiveKind"][];
            may_leave: boolean;
            principal: string;
        };
        /** Problem */
        Problem: {
            fault: string;
            message: string;
            seq: number | null;
        };
        /** Proof */
        Proof: {
            /** @default null */
            event: components["schemas"]["Event"] | null;
            /** @default null */
            from_root: string | null;
            /** @default null */
            from_size: number | null;
            kind: string;
            /** @default null */
            leaf_hash: string | null;
            /** @default null */
            leaf_index: number | null;
            path: string[];
            root: string;
            size: number;
        };
        /** ProposalPage */
        ProposalPage: {
            next_after_seq: number | null;
            proposals: components["schemas"]["QueuedProposal"][];
            snoozed: number;
            total: number;
        };
        /** Prove */
        Prove: {
            /** @default null */
            from_size: number | null;
            /** @default null */
            reference: string | null;
        };
        /** Purge */
        Purge: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default false */
            purge_all_principal: boolean;
            /** @default null */
            request_id: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** QuarantineLearned */
        QuarantineLearned: {
            /** @default null */
            actor: string | null;
            candidate_id: string;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
        };
        /** QueuedProposal */
        QueuedProposal: {
            at_ms: number;
            batch: string;
            because: string[];
            confidence: number;
            document: string;
            kind: string;
            memory_id: string | null;
            proposal_id: string;
            provenance: string[];
            queue: string;
            risks: string[];
            seq: number;
            snoozed_until_ms: number | null;
            source: string;
            state: string;
            text: string;
            trust: string;
            why: string;
        };
        /**
         * ReadStatement
         * @description One thing a turn states.
         */
        ReadStatement: {
            candidate_id: string | null;
            confidence: number;
            event_id: string;
            kind: string;
            memory_id: string | null;
            outcome: string;
            reasons: string[];
            text: string;
            turn: number;
        };
        /** RebuildExternal */
        RebuildExternal: Record<string, never>;
        /** RebuildProjections */
        RebuildProjections: Record<string, never>;
        /** Rebuilt */
        Rebuilt: {
            events: number;
            same: boolean;
            state_digest_after: string;
            state_digest_before: string;
        };
        /** Recall */
        Recall: {
            /** @default null */
            as_of_ms: number | null;
            /** @default null */
            as_of_seq: number | null;
            /** @default 2048 */
            budget_tokens: number;
            /** @default [] */
            categories: string[];
            /** @default null */
            channel: string | null;
            /** @default false */
            include_past: boolean;
            /** @default false */
            include_score_breakdown: boolean;
            /** @default 512 */
            max_item_tokens: number;
            /** @default null */
            max_items: number | null;
            /** @default null */
            min_score: number | null;
            /** @default null */
            principal: string | null;
            /** @default memory */
            profile: string;
            query: string;
            /** @default null */
            session_id: string | null;
            /** @default [] */
            sources: string[];
            /** @default [] */
            tags: string[];
            /** @default 8 */
            top_k: number;
            /** @default [] */
            trusts: string[];
        };
        /** Recalled */
        Recalled: {
            block: string;
            degraded: string[];
            dropped: components["schemas"]["NotRecalled"][];
            memories: components["schemas"]["RecalledMemory"][];
            receipt: string;
            seq: number;
            tokens: number;
        };
        /** RecalledMemory */
        RecalledMemory: {
            citation: string;
            memory_id: string;
            path: string;
            score: number;
            sensitive: string[];
            source: string;
            text: string;
            tokens: number;
            trust: string;
        };
        /** Reconcile */
        Reconcile: Record<string, never>;
        /** Reconciled */
        Reconciled: {
            after: components["schemas"]["ExternalDrift"];
            before: components["schemas"]["ExternalDrift"];
        };
        /** RecordedRun */
        RecordedRun: {
            attempt: number;
            attention: string;
            by: string;
            code: string;
            error: string;
            event_id: string;
            items: number;
            name: string;
            notes: string[];
            seq: number;
            started_at_ms: number | null;
            state: string;
            took_ms: number | null;
        };
        /** ReferencePreview */
        ReferencePreview: {
            chars: number;
            error: string;
            kind: string;
            label: string;
            provenance: string;
            target: string;
            text: string;
            tokens: number;
            trust: string;
            warnings: string[];
        };
        /** ReferencesPreview */
        ReferencesPreview: {
            clean_text: string;
            references: components["schemas"]["ReferencePreview"][];
            tokens: number;
            warnings: string[];
        };
        /** ReflectNow */
        ReflectNow: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            /** @default 32 */
            limit: number;
            /** @default null */
            principal: string | null;
        };
        /** ReflectedNow */
        ReflectedNow: {
            applied: number;
            proposed: number;
            queued_runs: number;
            runs: number;
        };
        /** Refusal */
        Refusal: {
            path: string;
            why: string;
        };
        /** RefusedProposal */
        RefusedProposal: {
            error: components["schemas"]["WhyNot"];
            proposal_id: string;
        };
        /** ReleaseDocument */
        ReleaseDocument: {
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            path: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            sha256: string | null;
        };
        /** RemoveDemo */
        RemoveDemo: Record<string, never>;
        /** RenameSession */
        RenameSession: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            session: string;
            title: string;
        };
        /** ReopenCandidate */
        ReopenCandidate: {
            /** @default null */
            actor: string | null;
            candidate_id: string;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default null */
            request_id: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** RepairDocument */
        RepairDocument: {
            /** @default null */
            block_id: string | null;
            /** @default null */
            channel: string | null;
            /** @default mine */
            keep: string;
            /** @default  */
            line: string;
            path: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
        };
        /** RestoreCheckpoint */
        RestoreCheckpoint: {
            /** @default null */
            channel: string | null;
            checkpoint: string;
            /** @default false */
            in_place: boolean;
            /** @default null */
            key: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            /** @default  */
            title: string;
        };
        /** RestoreDocument */
        RestoreDocument: {
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            path: string;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default null */
            request_id: string | null;
            revision: number;
        };
        /** RestoreItems */
        RestoreItems: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            memory_ids: string[];
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** Restored */
        Restored: {
            /** @default false */
            repeated: boolean;
            restored: number;
            seq: number;
        };
        /** RestoredCheckpoint */
        RestoredCheckpoint: {
            checkpoint_id: string;
            missing: string[];
            newer: string[];
            refused: components["schemas"]["Refusal"][];
            session: components["schemas"]["SessionInfo"] | null;
            unchanged: string[];
            written: components["schemas"]["MarkedDocument"][];
        };
        /** ResumeJob */
        ResumeJob: {
            name: string;
        };
        /** Retain */
        Retain: {
            /** @default null */
            actor: string | null;
            /** @default null */
            category: string | null;
            /** @default null */
            channel: string | null;
            /** @default null */
            confidence: number | null;
            /** @default null */
            expires_at_ms: number | null;
            /** @default false */
            pinned: boolean;
            /** @default null */
            principal: string | null;
            /** @default [] */
            provenance: string[];
            /** @default null */
            request_id: string | null;
            /** @default null */
            said_at_ms: number | null;
            /** @default null */
            scope: string | null;
            /** @default null */
            session_id: string | null;
            /** @default manual */
            source: string;
            /** @default  */
            speaker: string;
            /** @default [] */
            tags: string[];
            text: string;
            /** @default  */
            thread: string;
            /** @default null */
            trust: string | null;
            /** @default null */
            ttl_ms: number | null;
            /** @default null */
            valid_from_ms: number | null;
            /** @default null */
            valid_to_ms: number | null;
        };
        /** RetainMany */
        RetainMany: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            items: components["schemas"]["RetainedText"][];
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            /** @default null */
            scope: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** Retained */
        Retained: {
            candidate_id: string | null;
            conflicts_with: string[];
            hash: string;
            memory_id: string | null;
            outcome: string;
            reasons: string[];
            repeated: boolean;
            seq: number;
            superseded: string[];
        };
        /**
         * RetainedText
         * @description One of many.
         */
        RetainedText: {
            /** @default null */
            category: string | null;
            /** @default null */
            confidence: number | null;
            /** @default null */
            expires_at_ms: number | null;
            /** @default false */
            pinned: boolean;
            /** @default [] */
            provenance: string[];
            /** @default null */
            said_at_ms: number | null;
            /** @default manual */
            source: string;
            /** @default  */
            speaker: string;
            /** @default [] */
            tags: string[];
            text: string;
            /** @default  */
            thread: string;
            /** @default null */
            trust: string | null;
            /** @default null */
            ttl_ms: number | null;
            /** @default null */
            valid_from_ms: number | null;
            /** @default null */
            valid_to_ms: number | null;
        };
        /** RetryRun */
        RetryRun: {
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            /** @default null */
            run_id: string | null;
            session: string;
        };
        /** RevisionInfo */
        RevisionInfo: {
            actor: string;
            at_ms: number;
            because: string;
            deleted: boolean;
            line: string;
            masked: boolean;
            moved_from: string;
            path: string;
            reason: string;
            reasons: string[];
            revision: number;
            risk: string;
            seq: number;
            sha256: string;
            source: string;
            trust: string;
        };
        /** RevokeToken */
        RevokeToken: {
            token_id: string;
        };
        /** RollBackLearned */
        RollBackLearned: {
            /** @default null */
            actor: string | null;
            candidate_id: string;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default null */
            request_id: string | null;
        };
        /**
         * RuleOnProposals
         * @description About `ids`, or about all that `wanted` means.
         */
        RuleOnProposals: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            decision: string;
            /** @default [] */
            ids: string[];
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default null */
            request_id: string | null;
            /** @default null */
            text: string | null;
            /** @default null */
            wanted: components["schemas"]["WantedProposals"] | null;
        };
        /** RuledProposals */
        RuledProposals: {
            batch: string;
            decided: number;
            proposals: components["schemas"]["QueuedProposal"][];
            refused: components["schemas"]["RefusedProposal"][];
        };
        /** RunCronJob */
        RunCronJob: {
            /** @default null */
            channel: string | null;
            job: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
        };
        /** RunGlance */
        RunGlance: {
            asked: string;
            run_id: string;
        };
        /** RunInfo */
        RunInfo: {
            cached_tokens: number;
            created_at_ms: number;
            ended_at_ms: number | null;
            error_code: string;
            input_tokens: number;
            model: string;
            origin: string;
            output_tokens: number;
            retry_of: string | null;
            run_id: string;
            session_id: string;
            started_at_ms: number | null;
            state: string;
            undone: boolean;
        };
        /** RunJob */
        RunJob: {
            name: string;
            /** @default false */
            sure: boolean;
            /** @default 300 */
            wait_seconds: number;
        };
        /** Search */
        Search: {
            /** @default null */
            as_of_ms: number | null;
            /** @default null */
            as_of_seq: number | null;
            /** @default [] */
            categories: string[];
            /** @default null */
            channel: string | null;
            /** @default false */
            include_past: boolean;
            /** @default false */
            include_score_breakdown: boolean;
            /** @default null */
            min_score: number | null;
            /** @default null */
            principal: string | null;
            /** @default memory */
            profile: string;
            query: string;
            /** @default null */
            session_id: string | null;
            /** @default [] */
            sources: string[];
            /** @default [] */
            tags: string[];
            /** @default 8 */
            top_k: number;
            /** @default [] */
            trusts: string[];
        };
        /** SearchDocuments */
        SearchDocuments: {
            /** @default null */
            channel: string | null;
            /** @default false */
            include_score_breakdown: boolean;
            /** @default 20 */
            limit: number;
            /** @default  */
            line: string;
            /** @default 0.03 */
            min_score: number;
            /** @default null */
            principal: string | null;
            query: string;
        };
        /** SearchHit */
        SearchHit: {
            /** @default null */
            breakdown: {
                [key: string]: number;
            } | null;
            item: components["schemas"]["Item"];
            score: number;
            snippet: string;
        };
        /**
         * SearchHits
         * @description `hits` with the profile memory; with any other `passages`.
         */
        SearchHits: {
            degraded: string[];
            hits: components["schemas"]["SearchHit"][];
            passages: components["schemas"]["FoundPassage"][];
        };
        /** SearchSessions */
        SearchSessions: {
            /** @default null */
            channel: string | null;
            /** @default 20 */
            limit: number;
            /** @default null */
            principal: string | null;
            query: string;
        };
        /** SendMessage */
        SendMessage: {
            /** @default [] */
            attachments: string[];
            /** @default null */
            channel: string | null;
            /** @default false */
            create: boolean;
            /** @default queue */
            mode: string;
            /** @default null */
            parameter_delta: components["schemas"]["ParameterDelta"] | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            session: string;
            text: string;
        };
        /** SensitiveAbout */
        SensitiveAbout: {
            by_kind: {
                [key: string]: number;
            };
            items: number;
            name: string;
        };
        /** SensitiveKind */
        SensitiveKind: {
            by_trust: {
                [key: string]: number;
            };
            items: number;
            kind: string;
            newest_at_ms: number;
            oldest_at_ms: number;
            waiting: number;
        };
        /** SessionExport */
        SessionExport: {
            content: string;
            format: string;
        };
        /** SessionInfo */
        SessionInfo: {
            active_at_ms: number;
            archived: boolean;
            branched_at_seq: number | null;
            channel: string | null;
            created_at_ms: number;
            key: string;
            parent_id: string | null;
            principal: string;
            session_id: string;
            title: string;
        };
        /** SessionPage */
        SessionPage: {
            next_after_session_key: string | null;
            sessions: components["schemas"]["SessionInfo"][];
        };
        /** SessionTree */
        SessionTree: {
            nodes: components["schemas"]["TreeNode"][];
        };
        /** SetPassword */
        SetPassword: {
            /** @default null */
            password: string | null;
        };
        /** SettleConflict */
        SettleConflict: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            holds: string;
            memory_id: string;
            other_id: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** Settled */
        Settled: {
            holds: string[];
            /** @default false */
            repeated: boolean;
            seq: number;
        };
        /**
         * ShownIn
         * @description A run whose prompt held it.
         */
        ShownIn: {
            at_ms: number;
            run_id: string;
            seq: number;
            session_id: string;
        };
        /** SnoozeLearned */
        SnoozeLearned: {
            /** @default null */
            actor: string | null;
            candidate_id: string;
            /** @default null */
            channel: string | null;
            for_ms: number;
            /** @default null */
            principal: string | null;
        };
        /** StreamBundle */
        StreamBundle: Record<string, never>;
        /**
         * StreamLine
         * @description One line of a message stream. `meta` first; `event` for all that happens; `error` if the run failed; `complete`
         *         last. An event with a seq is in the journal: whoever lost the stream goes on with after_seq. One without is a
         *         preview of text that will be; `offset` says where in the answer it belongs.
         */
        StreamLine: {
            /** @default {} */
            data: Record<string, never>;
            /** @default null */
            error: Record<string, never> | null;
            /** @default  */
            event: string;
            /** @default  */
            model: string;
            /** @default  */
            run_id: string;
            /** @default null */
            seq: number | null;
            /** @default  */
            session_id: string;
            /** @default  */
            session_key: string;
            /** @default  */
            state: string;
            type: string;
            /** @default null */
            usage: {
                [key: string]: number;
            } | null;
        };
        /** SupersedeItem */
        SupersedeItem: {
            /** @default null */
            actor: string | null;
            /** @default null */
            channel: string | null;
            new_id: string;
            old_id: string;
            /** @default null */
            principal: string | null;
            /** @default null */
            request_id: string | null;
            /** @default null */
            session_id: string | null;
        };
        /** Superseded */
        Superseded: {
            new_id: string;
            old_id: string;
            /** @default false */
            repeated: boolean;
            seq: number;
        };
        /** SystemStatus */
        SystemStatus: {
            active_runs: number;
            attention: string[];
            chat_breaker: string;
            chat_error: string | null;
            chat_model: string;
            data_dir: string;
            database_bytes: number;
            due_jobs: components["schemas"]["DueJob"][];
            embedding_model: string;
            events: number;
            external: components["schemas"]["ExternalStanding"] | null;
            failing_jobs: string[];
            jobs: number;
            learned_waiting: number;
            memories: number;
            paused_jobs: string[];
            pid: number;
            refuses_writes: string | null;
            root: string;
            serving: boolean;
            sessions: number;
            started_at_ms: number;
            unsigned_events: number;
            version: string;
            waiting_for_review: number;
        };
        /** TailEvents */
        TailEvents: {
            /** @default null */
            actor: string | null;
            /** @default 0 */
            after_seq: number;
            /** @default null */
            channel: string | null;
            /** @default false */
            follow: boolean;
            /** @default null */
            from_id: string | null;
            /** @default null */
            kind: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            run_id: string | null;
            /** @default null */
            session_id: string | null;
            /** @default null */
            since_ms: number | null;
            /** @default null */
            to_id: string | null;
            /** @default null */
            until_ms: number | null;
        };
        /** TapeEntry */
        TapeEntry: {
            at_ms: number;
            event_id: string;
            payload: Record<string, never> | null;
            pinned: boolean;
            run_id: string;
            seq: number;
            type: string;
        };
        /** Tidied */
        Tidied: {
            left: components["schemas"]["LeftToday"][];
            restored: number;
            taken_out: number;
        };
        /** Tidy */
        Tidy: {
            /** @default null */
            actor: string | null;
            /** @default false */
            apply: boolean;
            /** @default null */
            channel: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            session_id: string | null;
            /** @default false */
            undo: boolean;
        };
        /** TokenInfo */
        TokenInfo: {
            actor: string;
            capabilities: string[];
            channels: string[];
            created_at_ms: number;
            expires_at_ms: number | null;
            label: string;
            principal: string;
            revoked_at_ms: number | null;
            state: string;
            token_id: string;
        };
        /** TokenMade */
        TokenMade: {
            info: components["schemas"]["TokenInfo"];
            token: string;
        };
        /** TokenPage */
        TokenPage: {
            next_after: string | null;
            tokens: components["schemas"]["TokenInfo"][];
        };
        /** ToolDecided */
        ToolDecided: {
            call_id: string;
            decision: string;
            run_id: string;
        };
        /** Transcript */
        Transcript: {
            entries: components["schemas"]["TapeEntry"][];
            next_after_seq: number | null;
            /** @default null */
            next_before_seq: number | null;
            runs: components["schemas"]["RunInfo"][];
            session: components["schemas"]["SessionInfo"];
        };
        /** TranscriptHit */
        TranscriptHit: {
            at_ms: number;
            run_id: string | null;
            score: number;
            seq: number;
            session_id: string;
            session_key: string;
            session_title: string;
            snippet: string;
            trust: string;
            type: string;
        };
        /** TranscriptHits */
        TranscriptHits: {
            hits: components["schemas"]["TranscriptHit"][];
        };
        /** TreeNode */
        TreeNode: {
            checkpoints: components["schemas"]["CheckpointInfo"][];
            depth: number;
            from_checkpoint: string | null;
            session: components["schemas"]["SessionInfo"];
        };
        /** TurnsAdded */
        TurnsAdded: {
            added: number;
            left: components["schemas"]["LeftOnTape"][];
            pending: number;
            repeated: number;
            session_id: string;
            session_key: string;
            waiting: components["schemas"]["ReadStatement"][];
            written: components["schemas"]["ReadStatement"][];
        };
        /** Undone */
        Undone: {
            run_id: string;
            text: string;
        };
        /**
         * UnseenTurnInfo
         * @description A turn that is not wholly in sight any more, by its first words.
         */
        UnseenTurnInfo: {
            partly: boolean;
            seq: number;
            text: string;
            why: string;
        };
        /** UpdateCronJob */
        UpdateCronJob: {
            /** @default null */
            at: string | null;
            /** @default null */
            backoff: string | null;
            /** @default null */
            channel: string | null;
            /** @default null */
            concurrency: string | null;
            /** @default null */
            cron: string | null;
            /** @default null */
            every: string | null;
            /** @default null */
            jitter: string | null;
            job: string;
            /** @default null */
            misfire: string | null;
            /** @default null */
            name: string | null;
            /** @default null */
            principal: string | null;
            /** @default null */
            prompt: string | null;
            /** @default null */
            retries: number | null;
            /** @default null */
            session: string | null;
            /** @default null */
            zone: string | null;
        };
        /** UpdateItem */
        UpdateItem: {
            /** @default null */
            actor: string | null;
            /** @default null */
            category: string | null;
            /** @default null */
            channel: string | null;
            /** @default null */
            confidence: number | null;
            /** @default null */
            expires_at_ms: number | null;
            memory_id: string;
            /** @default false */
            never_expires: boolean;
            /** @default null */
            pinned: boolean | null;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default null */
            request_id: string | null;
            /** @default null */
            session_id: string | null;
            /** @default null */
            tags: string[] | null;
            /** @default null */
            text: string | null;
            /** @default null */
            ttl_ms: number | null;
        };
        /** Updated */
        Updated: {
            hash: string;
            item: components["schemas"]["Item"];
            /** @default false */
            repeated: boolean;
            seq: number;
        };
        /** UsageCount */
        UsageCount: {
            bytes: number;
            items: number;
            name: string;
        };
        /** Verified */
        Verified: {
            checkpoints: number;
            erased: number;
            first_bad_seq: number | null;
            head: string;
            ok: boolean;
            problems: components["schemas"]["Problem"][];
            root: string;
            size: number;
            state_digest: string | null;
            verifier_key: string;
        };
        /** VerifyJournal */
        VerifyJournal: {
            /** @default [] */
            checkpoints: string[];
            /** @default true */
            projections: boolean;
        };
        /** Versions */
        Versions: {
            revisions: components["schemas"]["RevisionInfo"][];
        };
        /**
         * WantedProposals
         * @description Which are meant; what is left out leaves out nothing.
         */
        WantedProposals: {
            /** @default null */
            actor: string | null;
            /** @default  */
            batch: string;
            /** @default null */
            channel: string | null;
            /** @default  */
            kind: string;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default false */
            snoozed: boolean;
            /** @default  */
            source: string;
            /** @default  */
            state: string;
            /** @default  */
            subject: string;
        };
        /**
         * Where
         * @description Where a passage stands; what does not apply is left out.
         */
        Where: {
            /** @default  */
            checkpoint_id: string;
            /** @default  */
            compaction_id: string;
            event_id: string;
            /** @default  */
            heading: string;
            /** @default 0 */
            line: number;
            /** @default  */
            name: string;
            /** @default  */
            path: string;
            /** @default 0 */
            revision: number;
            /** @default  */
            risk: string;
            /** @default  */
            run_id: string;
            seq: number;
            /** @default  */
            session_id: string;
            /** @default  */
            session_key: string;
            /** @default  */
            session_title: string;
            /** @default  */
            type: string;
        };
        /** WhyNot */
        WhyNot: {
            code: string;
            hint: string;
            message: string;
        };
        /** WorkspaceProblem */
        WorkspaceProblem: {
            path: string;
            problem: string;
        };
        /** WorkspaceStatus */
        WorkspaceStatus: {
            documents: number;
            folder: string | null;
            pending: string[];
            problems: components["schemas"]["WorkspaceProblem"][];
            quarantined: string[];
            unwatched_because: string;
            watched: boolean;
        };
        /** WriteDocument */
        WriteDocument: {
            /** @default null */
            base_sha256: string | null;
            /** @default null */
            channel: string | null;
            /** @default  */
            line: string;
            path: string;
            /** @default null */
            principal: string | null;
            /** @default  */
            reason: string;
            /** @default null */
            request_id: string | null;
            text: string;
        };
        /**
         * WriteStats
         * @description Of the process that answers. Latency runs from hand-over to durable.
         */
        WriteStats: {
            budget_ms: number;
            commits: number;
            failures: number;
            max_ms: number;
            over_budget: number;
            p50_ms: number | null;
            p99_ms: number | null;
            queued: number;
            writes: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "backup.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    path?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backup"];
                };
            };
        };
    };
    "attachment.add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    data: string;
                    name: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    session?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentInfo"];
                };
            };
        };
    };
    "attachment.get": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                session?: string;
            };
            header?: never;
            path: {
                attachment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentData"];
                };
            };
        };
    };
    "checkpoint.list": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                session?: string;
                before_seq?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointPage"];
                };
            };
        };
    };
    "checkpoint.get": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
            };
            header?: never;
            path: {
                checkpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointInfo"];
                };
            };
        };
    };
    "checkpoint.compare": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                checkpoint: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    other?: string | null;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
        };
    };
    "checkpoint.restore": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                checkpoint: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default false */
                    in_place?: boolean;
                    /** @default null */
                    key?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default  */
                    title?: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoredCheckpoint"];
                };
            };
        };
    };
    "chat.model": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelStatus"];
                };
            };
        };
    };
    "chat.preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    text: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReferencesPreview"];
                };
            };
        };
    };
    "run.get": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunInfo"];
                };
            };
        };
    };
    "run.abort": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunInfo"];
                };
            };
        };
    };
    "run.decide": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
                call_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    approve: boolean;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolDecided"];
                };
            };
        };
    };
    "run.explain": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
        };
    };
    "chat.follow": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                after_seq?: number;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["StreamLine"];
                };
            };
        };
    };
    "session.search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default 20 */
                    limit?: number;
                    /** @default null */
                    principal?: string | null;
                    query: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptHits"];
                };
            };
        };
    };
    "session.list": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                after_session_key?: string;
                limit?: number;
                archived?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
        };
    };
    "session.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    key?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default  */
                    title?: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionInfo"];
                };
            };
        };
    };
    "session.get": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lineage"];
                };
            };
        };
    };
    "session.rename": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    title: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionInfo"];
                };
            };
        };
    };
    "session.archive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default true */
                    archived?: boolean;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionInfo"];
                };
            };
        };
    };
    "session.branch": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    key?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    run_id?: string | null;
                    /** @default  */
                    title?: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionInfo"];
                };
            };
        };
    };
    "checkpoint.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default  */
                    name?: string;
                    /** @default  */
                    note?: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default [] */
                    tags?: string[];
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointInfo"];
                };
            };
        };
    };
    "compaction.list": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompactionList"];
                };
            };
        };
    };
    "compaction.apply": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default false */
                    force?: boolean;
                    /** @default null */
                    plan_id?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompactionInfo"];
                };
            };
        };
    };
    "compaction.preview": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompactionPreview"];
                };
            };
        };
    };
    "session.erase": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                    /** @default [] */
                    run_ids?: string[];
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasures"];
                };
            };
        };
    };
    "session.export": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                format?: string;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionExport"];
                };
            };
        };
    };
    "checkpoint.merge": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default [] */
                    mine?: string[];
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default [] */
                    theirs?: string[];
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MergedBranch"];
                };
            };
        };
    };
    "chat.send": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default [] */
                    attachments?: string[];
                    /** @default null */
                    channel?: string | null;
                    /** @default false */
                    create?: boolean;
                    /** @default queue */
                    mode?: string;
                    /** @default null */
                    parameter_delta?: components["schemas"]["ParameterDelta"] | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    text: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["StreamLine"];
                };
            };
        };
    };
    "compaction.expand": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                from_seq?: number;
                to_seq?: number;
                after_seq?: number;
                limit?: number;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpandedEntries"];
                };
            };
        };
    };
    "session.pin": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    event_id: string;
                    /** @default true */
                    pinned?: boolean;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TapeEntry"];
                };
            };
        };
    };
    "session.reset": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionInfo"];
                };
            };
        };
    };
    "chat.retry": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    run_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["StreamLine"];
                };
            };
        };
    };
    "session.transcript": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                after_seq?: number;
                before_seq?: number;
                newest?: boolean;
                limit?: number;
                everything?: boolean;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcript"];
                };
            };
        };
    };
    "checkpoint.tree": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTree"];
                };
            };
        };
    };
    "session.add": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    turns: components["schemas"]["HandedTurn"][];
                    /** @default 0 */
                    wait_ms?: number;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnsAdded"];
                };
            };
        };
    };
    "session.undo": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Undone"];
                };
            };
        };
    };
    "console.link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginLink"];
                };
            };
        };
    };
    "console.password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    password?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordSet"];
                };
            };
        };
    };
    "console.places": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Places"];
                };
            };
        };
    };
    "cron.list": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                before_seq?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronJobPage"];
                };
            };
        };
    };
    "cron.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    at?: string | null;
                    /** @default null */
                    backoff?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    concurrency?: string | null;
                    /** @default null */
                    cron?: string | null;
                    /** @default true */
                    enabled?: boolean;
                    /** @default null */
                    every?: string | null;
                    /** @default null */
                    jitter?: string | null;
                    /** @default null */
                    misfire?: string | null;
                    /** @default null */
                    name?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    prompt?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    retries?: number | null;
                    /** @default null */
                    session?: string | null;
                    /** @default null */
                    zone?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronJobInfo"];
                };
            };
        };
    };
    "cron.get": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
            };
            header?: never;
            path: {
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronJobInfo"];
                };
            };
        };
    };
    "cron.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    at?: string | null;
                    /** @default null */
                    backoff?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    concurrency?: string | null;
                    /** @default null */
                    cron?: string | null;
                    /** @default null */
                    every?: string | null;
                    /** @default null */
                    jitter?: string | null;
                    /** @default null */
                    misfire?: string | null;
                    /** @default null */
                    name?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    prompt?: string | null;
                    /** @default null */
                    retries?: number | null;
                    /** @default null */
                    session?: string | null;
                    /** @default null */
                    zone?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronJobInfo"];
                };
            };
        };
    };
    "cron.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronJobInfo"];
                };
            };
        };
    };
    "cron.disable": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronJobInfo"];
                };
            };
        };
    };
    "cron.enable": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronJobInfo"];
                };
            };
        };
    };
    "cron.next": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                count?: number;
            };
            header?: never;
            path: {
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronTimes"];
                };
            };
        };
    };
    "cron.run": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronRunInfo"];
                };
            };
        };
    };
    "cron.history": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                job?: string;
                before_seq?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronRunPage"];
                };
            };
        };
    };
    "demo.status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DemoStatus"];
                };
            };
        };
    };
    "demo.load": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DemoLoaded"];
                };
            };
        };
    };
    "demo.remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DemoRemoved"];
                };
            };
        };
    };
    "system.doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Examination"];
                };
            };
        };
    };
    "system.find_ids": {
        parameters: {
            query: {
                beginning: string;
                kinds: string[];
                principal?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundIds"];
                };
            };
        };
    };
    "jobs.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Jobs"];
                };
            };
        };
    };
    "jobs.history": {
        parameters: {
            query?: {
                name?: string;
                before_seq?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRuns"];
                };
            };
        };
    };
    "jobs.pause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.resume": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default false */
                    sure?: boolean;
                    /** @default 300 */
                    wait_seconds?: number;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRun"];
                };
            };
        };
    };
    "journal.bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["BundleLine"];
                };
            };
        };
    };
    "journal.checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointMade"];
                };
            };
        };
    };
    "journal.erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    event_ids: string[];
                    /** @default asked for */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasures"];
                };
            };
        };
    };
    "journal.list": {
        parameters: {
            query?: {
                kind?: string;
                actor?: string;
                principal?: string;
                channel?: string;
                session_id?: string;
                run_id?: string;
                since_ms?: number;
                until_ms?: number;
                from_id?: string;
                to_id?: string;
                after_seq?: number;
                limit?: number;
                newest_first?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    "journal.append": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    id?: string | null;
                    kind: string;
                    /** @default null */
                    occurred_at_ms?: number | null;
                    payload: Record<string, never>;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    run_id?: string | null;
                    /** @default null */
                    session_id?: string | null;
                    /** @default 1 */
                    v?: number;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appended"];
                };
            };
        };
    };
    "journal.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reference: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    "journal.export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    path: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exported"];
                };
            };
        };
    };
    "journal.prove": {
        parameters: {
            query?: {
                reference?: string;
                from_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proof"];
                };
            };
        };
    };
    "journal.rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rebuilt"];
                };
            };
        };
    };
    "journal.status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JournalStatus"];
                };
            };
        };
    };
    "journal.tail": {
        parameters: {
            query?: {
                kind?: string;
                actor?: string;
                principal?: string;
                channel?: string;
                session_id?: string;
                run_id?: string;
                since_ms?: number;
                until_ms?: number;
                from_id?: string;
                to_id?: string;
                after_seq?: number;
                follow?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["Event"];
                };
            };
        };
    };
    "journal.verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default [] */
                    checkpoints?: string[];
                    /** @default true */
                    projections?: boolean;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verified"];
                };
            };
        };
    };
    "learning.list": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                actor?: string;
                states?: string[];
                kinds?: string[];
                snoozed?: boolean;
                with_evidence?: boolean;
                after_seq?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearnedPage"];
                };
            };
        };
    };
    "learning.get": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                actor?: string;
            };
            header?: never;
            path: {
                candidate_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearnedDetail"];
                };
            };
        };
    };
    "learning.decide": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                candidate_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    decision: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    text?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearnedCandidate"];
                };
            };
        };
    };
    "learning.quarantine": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                candidate_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearnedQuarantined"];
                };
            };
        };
    };
    "learning.radius": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                actor?: string;
            };
            header?: never;
            path: {
                candidate_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearnedRadius"];
                };
            };
        };
    };
    "learning.rollback": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                candidate_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                    /** @default null */
                    request_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearnedCandidate"];
                };
            };
        };
    };
    "learning.snooze": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                candidate_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    for_ms: number;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearnedCandidate"];
                };
            };
        };
    };
    "learning.decide_many": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    candidate_ids: string[];
                    /** @default null */
                    channel?: string | null;
                    decision: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecidedMany"];
                };
            };
        };
    };
    "learning.preferences": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
        };
    };
    "learning.reflect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default 32 */
                    limit?: number;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReflectedNow"];
                };
            };
        };
    };
    "memory.about": {
        parameters: {
            query: {
                principal?: string;
                channel?: string;
                session_id?: string;
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["About"];
                };
            };
        };
    };
    "memory.candidates": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                session_id?: string;
                state?: string;
                after_seq?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CandidatePage"];
                };
            };
        };
    };
    "memory.decide": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                candidate_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    approve: boolean;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    session_id?: string | null;
                    /** @default null */
                    text?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retained"];
                };
            };
        };
    };
    "memory.reopen": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                candidate_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    session_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldCandidate"];
                };
            };
        };
    };
    "memory.conflicts": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                session_id?: string;
                before_seq?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConflictPage"];
                };
            };
        };
    };
    "memory.settle": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    holds: string;
                    memory_id: string;
                    other_id: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    session_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"];
                };
            };
        };
    };
    "memory.delete": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    memory_ids: string[];
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    session_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    "memory.erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    ids: string[];
                    /** @default null */
                    principal?: string | null;
                    /** @default asked for */
                    reason?: string;
                    /** @default null */
                    session_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasures"];
                };
            };
        };
    };
    "memory.export": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                session_id?: string;
                include_past?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["Item"];
                };
            };
        };
    };
    "external.status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExternalStatus"];
                };
            };
        };
    };
    "external.drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExternalDrift"];
                };
            };
        };
    };
    "external.rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mirrored"];
                };
            };
        };
    };
    "external.reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconciled"];
                };
            };
        };
    };
    "memory.import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    path: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    session_id?: string | null;
                    /** @default false */
                    vouch?: boolean;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Imported"];
                };
            };
        };
    };
    "memory.index": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexBuilt"];
                };
            };
        };
    };
    "memory.list": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                session_id?: string;
                after?: string;
                limit?: number;
                tags?: string[];
                sources?: string[];
                categories?: string[];
                trusts?: string[];
                include_past?: boolean;
                newest_first?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemPage"];
                };
            };
        };
    };
    "memory.retain": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    category?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    confidence?: number | null;
                    /** @default null */
                    expires_at_ms?: number | null;
                    /** @default false */
                    pinned?: boolean;
                    /** @default null */
                    principal?: string | null;
                    /** @default [] */
                    provenance?: string[];
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    said_at_ms?: number | null;
                    /** @default null */
                    scope?: string | null;
                    /** @default null */
                    session_id?: string | null;
                    /** @default manual */
                    source?: string;
                    /** @default  */
                    speaker?: string;
                    /** @default [] */
                    tags?: string[];
                    text: string;
                    /** @default  */
                    thread?: string;
                    /** @default null */
                    trust?: string | null;
                    /** @default null */
                    ttl_ms?: number | null;
                    /** @default null */
                    valid_from_ms?: number | null;
                    /** @default null */
                    valid_to_ms?: number | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retained"];
                };
            };
        };
    };
    "memory.retain_many": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    items: components["schemas"]["RetainedText"][];
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    scope?: string | null;
                    /** @default null */
                    session_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManyRetained"];
                };
            };
        };
    };
    "memory.get": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemDetail"];
                };
            };
        };
    };
    "memory.update": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    category?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    confidence?: number | null;
                    /** @default null */
                    expires_at_ms?: number | null;
                    /** @default false */
                    never_expires?: boolean;
                    /** @default null */
                    pinned?: boolean | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    session_id?: string | null;
                    /** @default null */
                    tags?: string[] | null;
                    /** @default null */
                    text?: string | null;
                    /** @default null */
                    ttl_ms?: number | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Updated"];
                };
            };
        };
    };
    "memory.history": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemHistory"];
                };
            };
        };
    };
    "memory.supersede": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                old_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    new_id: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    session_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Superseded"];
                };
            };
        };
    };
    "memory.maintain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default false */
                    sure?: boolean;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
        };
    };
    "memory.privacy": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                session_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrivacyAnswer"];
                };
            };
        };
    };
    "memory.purge": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default false */
                    purge_all_principal?: boolean;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    session_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    "memory.recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    as_of_ms?: number | null;
                    /** @default null */
                    as_of_seq?: number | null;
                    /** @default 2048 */
                    budget_tokens?: number;
                    /** @default [] */
                    categories?: string[];
                    /** @default null */
                    channel?: string | null;
                    /** @default false */
                    include_past?: boolean;
                    /** @default false */
                    include_score_breakdown?: boolean;
                    /** @default 512 */
                    max_item_tokens?: number;
                    /** @default null */
                    max_items?: number | null;
                    /** @default null */
                    min_score?: number | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default memory */
                    profile?: string;
                    query: string;
                    /** @default null */
                    session_id?: string | null;
                    /** @default [] */
                    sources?: string[];
                    /** @default [] */
                    tags?: string[];
                    /** @default 8 */
                    top_k?: number;
                    /** @default [] */
                    trusts?: string[];
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recalled"];
                };
            };
        };
    };
    "memory.restore": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    memory_ids: string[];
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    session_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Restored"];
                };
            };
        };
    };
    "memory.search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    as_of_ms?: number | null;
                    /** @default null */
                    as_of_seq?: number | null;
                    /** @default [] */
                    categories?: string[];
                    /** @default null */
                    channel?: string | null;
                    /** @default false */
                    include_past?: boolean;
                    /** @default false */
                    include_score_breakdown?: boolean;
                    /** @default null */
                    min_score?: number | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default memory */
                    profile?: string;
                    query: string;
                    /** @default null */
                    session_id?: string | null;
                    /** @default [] */
                    sources?: string[];
                    /** @default [] */
                    tags?: string[];
                    /** @default 8 */
                    top_k?: number;
                    /** @default [] */
                    trusts?: string[];
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchHits"];
                };
            };
        };
    };
    "memory.status": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                session_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryStatus"];
                };
            };
        };
    };
    "memory.tidy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default false */
                    apply?: boolean;
                    /** @default null */
                    channel?: string | null;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    session_id?: string | null;
                    /** @default false */
                    undo?: boolean;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tidied"];
                };
            };
        };
    };
    "review.list": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                actor?: string;
                state?: string;
                kind?: string;
                source?: string;
                subject?: string;
                reason?: string;
                batch?: string;
                snoozed?: boolean;
                after_seq?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalPage"];
                };
            };
        };
    };
    "review.decide": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    actor?: string | null;
                    /** @default null */
                    channel?: string | null;
                    decision: string;
                    /** @default [] */
                    ids?: string[];
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                    /** @default null */
                    request_id?: string | null;
                    /** @default null */
                    text?: string | null;
                    /** @default null */
                    wanted?: components["schemas"]["WantedProposals"] | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuledProposals"];
                };
            };
        };
    };
    "review.get": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                actor?: string;
            };
            header?: never;
            path: {
                proposal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedProposal"];
                };
            };
        };
    };
    "system.status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemStatus"];
                };
            };
        };
    };
    "token.list": {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPage"];
                };
            };
        };
    };
    "token.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default agent */
                    actor?: string;
                    /**
                     * @default [
                     *       "read",
                     *       "write"
                     *     ]
                     */
                    capabilities?: string[];
                    /** @default [] */
                    channels?: string[];
                    /** @default  */
                    label?: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    ttl_ms?: number | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenMade"];
                };
            };
        };
    };
    "token.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenInfo"];
                };
            };
        };
    };
    "workspace.delete": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    base_sha256?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default  */
                    line?: string;
                    path: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                    /** @default null */
                    request_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInfo"];
                };
            };
        };
    };
    "workspace.diff": {
        parameters: {
            query: {
                principal?: string;
                channel?: string;
                line?: string;
                path: string;
                old: number;
                new?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentDiff"];
                };
            };
        };
    };
    "workspace.get": {
        parameters: {
            query: {
                principal?: string;
                channel?: string;
                line?: string;
                path: string;
                revision?: number;
                as_of_seq?: number;
                as_of_ms?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentText"];
                };
            };
        };
    };
    "workspace.write": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    base_sha256?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default  */
                    line?: string;
                    path: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                    /** @default null */
                    request_id?: string | null;
                    text: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInfo"];
                };
            };
        };
    };
    "workspace.list": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                line?: string;
                prefix?: string;
                deleted?: boolean;
                as_of_seq?: number;
                as_of_ms?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Documents"];
                };
            };
        };
    };
    "workspace.erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default  */
                    line?: string;
                    path: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasures"];
                };
            };
        };
    };
    "workspace.move": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default  */
                    line?: string;
                    path: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                    target: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInfo"];
                };
            };
        };
    };
    "workspace.pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default  */
                    line?: string;
                    path: string;
                    /** @default true */
                    pinned?: boolean;
                    /** @default null */
                    principal?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInfo"];
                };
            };
        };
    };
    "workspace.release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default  */
                    line?: string;
                    path: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    sha256?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInfo"];
                };
            };
        };
    };
    "workspace.repair": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    block_id?: string | null;
                    /** @default null */
                    channel?: string | null;
                    /** @default mine */
                    keep?: string;
                    /** @default  */
                    line?: string;
                    path: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default null */
                    request_id?: string | null;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInfo"];
                };
            };
        };
    };
    "workspace.restore": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default  */
                    line?: string;
                    path: string;
                    /** @default null */
                    principal?: string | null;
                    /** @default  */
                    reason?: string;
                    /** @default null */
                    request_id?: string | null;
                    revision: number;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentInfo"];
                };
            };
        };
    };
    "workspace.search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default null */
                    channel?: string | null;
                    /** @default false */
                    include_score_breakdown?: boolean;
                    /** @default 20 */
                    limit?: number;
                    /** @default  */
                    line?: string;
                    /** @default 0.03 */
                    min_score?: number;
                    /** @default null */
                    principal?: string | null;
                    query: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentHits"];
                };
            };
        };
    };
    "workspace.status": {
        parameters: {
            query?: {
                principal?: string;
                channel?: string;
                line?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceStatus"];
                };
            };
        };
    };
    "workspace.versions": {
        parameters: {
            query: {
                principal?: string;
                channel?: string;
                line?: string;
                path: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Versions"];
                };
            };
        };
    };
}
