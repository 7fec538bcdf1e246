import { describe, expect, test } from 'vitest';
import { gateLimits } from '../../limits.ts';
import { compilePolicy, type PolicyDocument } from '../index.ts';

type Drift = NonNullable<NonNullable<PolicyDocument['agents']>[string]['drift']>;

const compiled = (drift: Drift, ofRole?: Drift) =>
  compilePolicy({
    version: 1,
    roles: { writer: ofRole ? { drift: ofRole } : {} },
    agents: { ada: { roles: ['writer'], drift } },
  }).agents.get('ada')?.drift;

describe('reactions to drift', () => {
  test('a level has the effect of those below it, too', () => {
    const drift = compiled({ watch: { constraint: 'calm down' }, warn: { response: 'read-only' } });
    expect(drift?.watch).toMatchObject({ constraints: ['calm down'], response: null });
    expect(drift?.critical).toMatchObject({ constraints: ['calm down'], response: 'read-only' });
  });

  test('of the agent and its roles, the strictest applies', () => {
    const own: Drift = { warn: { response: 'approval', role: 'lead' } };
    const drift = compiled(own, { warn: { response: 'pause', constraint: 'stop' } });
    expect(drift?.warn).toEqual({ constraints: ['stop'], response: 'pause', role: 'lead' });
    expect(drift?.watch.response).toBeNull();
  });

  test('without it, drift changes nothing', () => {
    const policy = compilePolicy({ version: 1, agents: { ada: {} } });
    expect(policy.agents.get('ada')?.drift).toBeNull();
  });

  test('a constraint has a largest length', () => {
    const most = gateLimits.driftConstraintCharsMax;
    const words = (length: number): Drift => ({ watch: { constraint: 'x'.repeat(length) } });
    expect(compiled(words(most))).toBeTruthy();
    expect(() => compiled(words(most + 1))).toThrow('use at most 500 characters');
  });
});
