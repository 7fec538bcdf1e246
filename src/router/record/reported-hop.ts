import { type Json, redactText, shapeText } from '../../kernel/index.ts';
import { traceIdOf } from '../routing/trace-tag.ts';
import type { HopDraft } from './hops.ts';

/** A hop as telemetry keeps it: only the shapes of the bodies. Nanoseconds are digits. */
export type ToldHop = Readonly<Record<string, string | number | boolean>>;

export function toldHop(draft: HopDraft, withShapes: boolean): ToldHop {
  const { request, response } = draft;
  const shape = (body: { json(): Json }): string => {
    const json = withShapes ? body.json() : null;
    return json === null ? '' : shapeText(json);
  };
  return {
    atNs: `${draft.at}000000`,
    lane: draft.key,
    traceId: traceIdOf(draft.traceparent) ?? '',
    requestId: draft.requestId ?? '',
    caller: draft.from ?? '',
    callee: draft.to,
    instance: draft.instance,
    served: draft.served ?? '',
    protocol: draft.protocol,
    method: draft.method,
    path: plainPath(draft.path),
    status: draft.status,
    durationNs: String(Math.max(0, Math.round(draft.durationMs * 1e6))),
    isAnswered: draft.answered,
    isRecovered: draft.recovered,
    isEscaped: draft.escaped,
    requestBytes: request.bytes,
    responseBytes: response.bytes,
    requestShape: shape(request),
    responseShape: shape(response),
  };
}

const pathCharsMax = 500;

/** Without what was asked for: a query may say more about a person than a body. */
function plainPath(path: string): string {
  const end = path.indexOf('?');
  return redactText((end < 0 ? path : path.slice(0, end)).slice(0, pathCharsMax));
}
