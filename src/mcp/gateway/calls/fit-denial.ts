import type { JsonObject } from '../../../kernel/index.ts';

/** Where the fields of a denial are for a tool that has declared other fields for its answers. */
const denialMeta = 'surety/denial';

/**
 * Many clients hold structured content against the tool's output schema even of an error, and then
 * show none of it. For such a tool the fields are a second text, and in `_meta`.
 */
export function fitDenial(denial: JsonObject, hasOutputSchema: boolean): JsonObject {
  if (!hasOutputSchema) return denial;
  const { structuredContent: fields = {}, content, ...rest } = denial;
  const texts = Array.isArray(content) ? content : [];
  return {
    ...rest,
    content: [...texts, { type: 'text', text: JSON.stringify(fields) }],
    _meta: { [denialMeta]: fields },
  };
}
