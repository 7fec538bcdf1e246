import { describe, expect, test } from 'vitest';
import { openAgentGovernance } from './agent-governance.ts';
import { openCedar } from './cedar.ts';
import { openOpa } from './opa.ts';
import { openOurs } from './ours.ts';
import { makeProposals } from './proposals.ts';
import { variants } from './rules.ts';

describe.each(variants)('$what', (variant) => {
  const proposals = makeProposals(variant.rules);

  test('allow about half of the proposals', () => {
    const allowed = proposals.filter(({ expected }) => expected === 'allow').length;
    expect(allowed / proposals.length).toBeGreaterThan(0.4);
    expect(allowed / proposals.length).toBeLessThan(0.6);
  });

  test.each([
    ['OPA, from wasm that was compiled from these rules', () => openOpa(variant)],
    ['the Agent Governance Toolkit', () => openAgentGovernance(variant.rules)],
    ['Surety', () => openOurs(variant.rules)],
    ['Cedar', () => openCedar(variant.rules)],
  ])('mean the same to %s', async (_, open) => {
    const { decide } = await open();
    const answers = proposals.map(({ tool, args }) => decide(tool, args));
    expect(answers).toEqual(proposals.map(({ expected }) => expected));
  });
});
