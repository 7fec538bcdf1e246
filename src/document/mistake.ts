/** One thing that is wrong in a file, where an editor can jump to it. Counted from 1. */
export interface Mistake {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export function showMistake(path: string, { line, column, message }: Mistake): string {
  return `  ${path}:${line}:${column}  ${message}`;
}
