const partsMax = 300;

/** The varying parts of similar lines: ids, numbers, addresses, quoted parts. */
const varying =
  /"(?:[^"\\]|\\.)*"|'[^'\n]*'|`[^`\n]*`|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?:0x)?[0-9a-f]*\d[0-9a-f]{7,}\b|\b\w*_[0-9A-HJKMNP-TV-Za-z]{16,}\b|\d+(?:[.,:T-]\d+)*/gi;

/** The same for lines with the same wording about different things. */
export function signatureOf(text: string): string {
  const line = text.length > partsMax ? text.slice(0, partsMax) : text;
  return line.replace(varying, '*').replace(/\s+/g, ' ').trim();
}
