import type { HandlersOf } from '../../http/api.ts';
import { checkConsent } from '../compose/probe-consent.ts';
import { checkRead, checkReadOfAny } from '../read-rights.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function probeHandlers({ probes, config }: HandlerDeps): HandlersOf<'probe'> {
  return {
    'POST /v1/probes': async ({ body }, { actor, roles }) => {
      checkRead(config, actor, 'captures', body.service);
      checkConsent(config, { actor, roles }, body);
      return probes.place(actor, body);
    },
    'POST /v1/probes/check': async ({ body }, { actor, roles }) => {
      checkRead(config, actor, 'captures', body.service);
      checkConsent(config, { actor, roles }, body);
      return probes.check(actor, body);
    },
    'POST /v1/probes/context': async ({ body }, { actor, roles }) => {
      checkRead(config, actor, 'captures', body.service);
      checkConsent(config, { actor, roles }, body);
      return probes.context(actor, body);
    },
    'GET /v1/probes': async (_, { actor }) => {
      checkReadOfAny(config, actor, 'captures');
      return probes.list(actor);
    },
    'POST /v1/probes/switch': ({ body }, { actor }) => probes.turn(actor, body.isOff),
    'GET /v1/probes/{probe}': async ({ path }, { actor }) => {
      checkReadOfAny(config, actor, 'captures');
      return probes.read(actor, path.probe);
    },
    'POST /v1/probes/{probe}/remove': ({ path }, { actor }) => probes.remove(actor, path.probe),
  };
}
