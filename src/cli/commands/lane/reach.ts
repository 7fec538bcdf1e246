import type { OperationResponse } from '../../../http/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';

type ReachAnswer = OperationResponse<'GET /v1/lanes/{lane}/reach'>;

const drawnMax = 20;

export const run: RunCommand = async ({ place, output, words: [lane = ''] }) => {
  const found = await connectDaemon(place).call('GET /v1/lanes/{lane}/reach', {
    path: { lane },
    query: {},
  });
  const { reach, losses, trees } = found;
  output.value(found);
  const head = reach.proven ? output.tone('good', 'reached') : output.tone('bad', 'not reached');
  output.line(reach.reason === null ? head : `${head}  ${reach.reason}`);
  for (const { service, sent, served } of reach.candidates) {
    output.line(`    ${service}: served ${served} of ${sent} requests sent to it`);
  }
  for (const [index, loss] of losses.entries()) {
    // Some losses differ only in whom the service called, which their sentence does not say.
    if (losses.indexOf(loss) !== index) continue;
    const word = lossWord(reach.lost[index]?.how);
    if (loss !== reach.reason) output.line(`    ${output.tone(word.tone, word.text)}  ${loss}`);
  }
  for (const tree of trees.slice(0, drawnMax)) draw(tree, output);
  const more = trees.length - drawnMax;
  if (more > 0)
    output.line(output.tone('dim', `\n… and ${more} other paths; --json has all of them`));
  return reach.proven ? exitCodes.ok : exitCodes.bad;
};

/**
 * A missing call may have had no reason, and a timer's call may have been for others: only an
 * observed loss is called lost.
 */
export function lossWord(how: ReachAnswer['reach']['lost'][number]['how'] | undefined) {
  if (how === 'shared') return { tone: 'dim', text: 'maybe lost' } as const;
  return how === 'silent'
    ? ({ tone: 'dim', text: 'no call seen' } as const)
    : ({ tone: 'warn', text: 'key lost' } as const);
}

const tones = { kept: null, recovered: 'warn', escaped: 'bad' } as const;

function draw({ count, request, calls }: ReachAnswer['trees'][number], output: Output): void {
  const times = count === 1 ? 'once' : `${count} times`;
  output.line(output.tone('dim', `\n${times}${request === null ? '' : `, as request ${request}`}`));
  for (const { line, key } of calls) {
    const tone = tones[key];
    output.line(`    ${tone === null ? line : output.tone(tone, line)}`);
  }
}
