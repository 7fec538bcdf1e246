import type { HandlersOf } from '../../http/api.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function probeHandlers({ probes }: HandlerDeps): HandlersOf<'probe'> {
  return {
    'POST /v1/probes': ({ body }, { actor }) => probes.place(actor, body),
    'GET /v1/probes/{probe}': ({ path }, { actor }) => probes.read(actor, path.probe),
    'POST /v1/probes/{probe}/remove': ({ path }, { actor }) => probes.remove(actor, path.probe),
  };
}
