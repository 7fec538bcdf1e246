import type { Json } from '../kernel/index.ts';

/** English text has about four characters per token, code and other languages fewer. */
const charsPerToken = 3;
/** What an image or a file costs, whose size in characters says nothing about its tokens. */
const attachmentTokens = 2_000;
/** For roles, names and brackets. */
const tokensPerValue = 1;

/** About how many tokens a request has, rather too many: it is reserved and settled afterwards. */
export function estimateTokens(value: Json): number {
  if (typeof value === 'string') return textTokens(value);
  if (value === null || typeof value !== 'object') return tokensPerValue;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + estimateTokens(one), 0);
  const isEncoded = 'media_type' in value || 'mime_type' in value;
  return Object.entries(value).reduce((sum, [name, one]) => {
    const isData = isEncoded && name === 'data';
    return sum + tokensPerValue + (isData ? attachmentTokens : estimateTokens(one as Json));
  }, 0);
}

function textTokens(text: string): number {
  if (/^data:[\w.+-]+\/[\w.+-]+[;,]/.test(text)) return attachmentTokens;
  return Math.ceil(text.length / charsPerToken);
}
