/** Gives the person a file. */
export function save(name: string, type: string, parts: readonly string[]): void {
  const file = URL.createObjectURL(new Blob(parts as string[], { type }));
  const link = document.createElement("a");
  link.href = file;
  link.download = name;
  link.click();
  URL.revokeObjectURL(file);
}
