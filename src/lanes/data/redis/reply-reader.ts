/** What a server says. A text is in latin1: one character per byte, so that any key survives. */
export type Reply = string | number | null | Error | readonly Reply[];

/** Takes bytes as they come and gives whole replies: RESP, the protocol that every Redis speaks. */
export class ReplyReader {
  #text = '';

  *read(chunk: Buffer): Generator<Reply> {
    this.#text += chunk.toString('latin1');
    for (;;) {
      const found = readAt(this.#text, 0);
      if (!found) return;
      this.#text = this.#text.slice(found.end);
      yield found.reply;
    }
  }
}

interface ParsedReply {
  readonly reply: Reply;
  readonly end: number;
}

/** Undefined when the reply is not whole yet. */
function readAt(text: string, start: number): ParsedReply | undefined {
  const lineEnd = text.indexOf('\r\n', start);
  if (lineEnd < 0) return undefined;
  const line = text.slice(start + 1, lineEnd);
  const end = lineEnd + 2;
  const kind = text[start];
  if (kind === '$') return readText(text, end, Number(line));
  if (kind === '*') return readList(text, end, Number(line));
  if (kind === '+') return { reply: line, end };
  if (kind === ':') return { reply: Number(line), end };
  if (kind === '-') return { reply: new Error(line), end };
  throw new Error('this is no Redis: it speaks another protocol');
}

function readText(text: string, start: number, length: number): ParsedReply | undefined {
  if (length < 0) return { reply: null, end: start };
  const end = start + length + 2;
  return text.length < end ? undefined : { reply: text.slice(start, end - 2), end };
}

function readList(text: string, start: number, length: number): ParsedReply | undefined {
  if (length < 0) return { reply: null, end: start };
  const list: Reply[] = [];
  let end = start;
  while (list.length < length) {
    const found = readAt(text, end);
    if (!found) return undefined;
    list.push(found.reply);
    end = found.end;
  }
  return { reply: list, end };
}
