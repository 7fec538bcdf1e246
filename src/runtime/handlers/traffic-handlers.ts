import type { HandlersOf } from '../../http/api.ts';
import { committedValue } from '../../kernel/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function trafficHandlers({ recorder, act }: HandlerDeps): HandlersOf<'traffic'> {
  return {
    'GET /v1/traffic': async () => ({
      scenarios: await recorder.list(),
      recording: recorder.isOn,
    }),
    'POST /v1/traffic/recording': async ({ body: { on } }, { actor }) => {
      const proposal = { actor, tool: 'traffic.record', arguments: { on } };
      const outcome = await act(proposal, async () => {
        await recorder.turn(on);
        return { recording: recorder.isOn };
      });
      return committedValue(outcome);
    },
    'POST /v1/traffic/clear': async (_, { actor }) => {
      const proposal = { actor, tool: 'traffic.clear', arguments: {} };
      const outcome = await act(proposal, async () => ({ scenarios: await recorder.clear() }));
      return committedValue(outcome);
    },
  };
}
