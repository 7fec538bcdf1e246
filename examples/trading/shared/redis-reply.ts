/** What Redis answers, in RESP 2: texts, numbers, lists of them, nothing, or an error. */
export type Reply = string | number | null | Error | Reply[];

interface Read {
  reply: Reply;
  /** Where the next reply starts. */
  end: number;
}

/** The reply that starts at `start`; undefined while a part of it is still on its way. */
export function readReply(bytes: Buffer, start: number): Read | undefined {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd < 0) return undefined;
  const kind = String.fromCharCode(bytes[start] ?? 0);
  const line = bytes.toString('utf8', start + 1, lineEnd);
  const end = lineEnd + 2;
  if (kind === '+') return { reply: line, end };
  if (kind === '-') return { reply: new Error(line), end };
  if (kind === ':') return { reply: Number(line), end };
  if (kind === '$') return readText(bytes, end, Number(line));
  if (kind === '*') return readList(bytes, end, Number(line));
  throw new Error(`This is not Redis: it answered "${kind}${line.slice(0, 40)}".`);
}

function readText(bytes: Buffer, start: number, length: number): Read | undefined {
  if (length < 0) return { reply: null, end: start };
  const end = start + length + 2;
  if (bytes.length < end) return undefined;
  return { reply: bytes.toString('utf8', start, start + length), end };
}

function readList(bytes: Buffer, start: number, length: number): Read | undefined {
  const reply: Reply[] = [];
  let end = start;
  for (let index = 0; index < length; index += 1) {
    const item = readReply(bytes, end);
    if (item === undefined) return undefined;
    reply.push(item.reply);
    end = item.end;
  }
  return { reply, end };
}
