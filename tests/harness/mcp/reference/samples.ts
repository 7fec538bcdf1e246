import {
  type ClientCapabilities,
  CLIENT_CAPABILITIES_META_KEY as capabilitiesKey,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** One red pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** A sound of no samples. */
export const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export interface TextContent {
  readonly type: 'text';
  readonly text: string;
}

export function text(value: string): TextContent {
  return { type: 'text', text: value };
}

export function said(value: string): { content: TextContent[] } {
  return { content: [text(value)] };
}

/** What the client says that it can, with each request. */
export function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope = (mcpReq.envelope ?? {}) as Record<string, ClientCapabilities | undefined>;
  return envelope[capabilitiesKey] ?? {};
}
