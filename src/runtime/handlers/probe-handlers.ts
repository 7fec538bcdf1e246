import type { HandlersOf } from '../../http/api.ts';
import { checkRead, checkReadOfAny } from '../read-rights.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function probeHandlers({ probes, config }: HandlerDeps): HandlersOf<'probe'> {
  return {
    'POST /v1/probes': async ({ body }, { actor }) => {
      checkRead(config, actor, 'captures', body.service);
      return probes.place(actor, body);
    },
    'GET /v1/probes/{probe}': async ({ path }, { actor }) => {
      checkReadOfAny(config, actor, 'captures');
      return probes.read(actor, path.probe);
    },
    'POST /v1/probes/{probe}/remove': ({ path }, { actor }) => probes.remove(actor, path.probe),
  };
}
