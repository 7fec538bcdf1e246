import { parseArgs } from 'node:util';
import { type Compared, compareConformance, isSame } from '../tests/harness/mcp/conformance.ts';
import {
  type ConformanceScene,
  type GatewayMode,
  openConformance,
  openScene,
} from '../tests/harness/mcp/conformance-scene.ts';
import { conformanceRevisions } from '../tests/harness/mcp/conformance-suite.ts';
import { say } from './steps.ts';

/**
 * `npm run conformance`: the official suite against the reference server, directly and through a
 * gateway that enforces, in every revision that the suite knows.
 * `npm run conformance -- --server http://127.0.0.1:3000/mcp`: the same against any other server,
 * through a gateway that enforces and through one that observes. With `--command "node server.js"`
 * the gateway starts that program instead, over stdio; `--server` is then what it is compared with.
 */
const { values } = parseArgs({
  options: { server: { type: 'string' }, command: { type: 'string' } },
});

type Open = () => Promise<ConformanceScene>;

function runs(): readonly (readonly [title: string, open: Open])[] {
  const { server: direct, command } = values;
  if (direct === undefined) {
    return [
      ['a server that speaks all revisions', () => openConformance('both')],
      ['a server that speaks only older ones', () => openConformance('older')],
    ];
  }
  const upstream = command === undefined ? { url: direct } : { command: command.split(' ') };
  return (['enforce', 'observe'] as const).map((mode: GatewayMode) => [
    `${command ?? direct}, ${mode}`,
    () => openScene({ direct, upstream }, mode),
  ]);
}

function lostIn({ direct, gateway }: Compared): readonly string[] {
  return direct.filter((check) => !gateway.includes(check));
}

let lost = 0;
for (const [title, open] of runs()) {
  for (const revision of conformanceRevisions) {
    const scene = await open();
    say(`\n## ${revision}, in front of ${title}\n`);
    say('| scenario | checks | pass directly | pass through the gateway | lost |');
    say('| --- | ---: | ---: | ---: | --- |');
    const all = await compareConformance(scene, revision);
    for (const compared of all) {
      const { scenario, checks, direct, gateway } = compared;
      const missing = isSame(compared) ? [] : lostIn(compared);
      lost += missing.length;
      const cells = [scenario, checks, direct.length, gateway.length, missing.join('; ') || 'none'];
      say(`| ${cells.join(' | ')} |`);
    }
    const sum = (side: 'direct' | 'gateway') => all.reduce((n, one) => n + one[side].length, 0);
    say(`\n${sum('direct')} checks pass directly, ${sum('gateway')} through the gateway.`);
    await scene[Symbol.asyncDispose]();
  }
}
say(`\n${lost} checks lost.`);
process.exitCode = lost === 0 ? 0 : 1;
