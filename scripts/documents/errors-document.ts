import { type FaultCode, faultDefinition, faults } from '../../src/kernel/index.ts';
import { followedRemedies } from './followed-remedies.ts';

const blames = {
  caller: 'whoever called',
  operator: 'whoever runs this machine',
  environment: 'whoever runs what Surety depends on: disk, database, network, cluster, process',
  surety: 'Surety itself: please report it',
} as const;

/** docs/errors.md, from the registry of faults. */
export function errorsDocument(): string {
  const followed = followedRemedies();
  const codes = (Object.keys(faults) as FaultCode[]).sort();
  const sections = codes.map((code) => describe(code, followed.get(code)));
  const counted = `${followed.size} of ${codes.length} remedies are *tested*: a test produces the fault, does what the
remedy says, and can continue. A test also checks that every command, flag, key, tool and address in a remedy exists.`;
  return `${[introduction, counted, ...sections].join('\n\n')}\n`;
}

const introduction = `# Errors

Every fault that can leave Surety, on every surface. The CLI prints code, message and remedy; the API
and \`--json\` give \`{"fault": {code, message, remedy, retryable}}\`. *Retryable* means that the very
same call may succeed later. Words in braces are filled in.

This page is generated from \`src/kernel/faults.ts\` by \`npm run docs\`.`;

function describe(code: FaultCode, followedBy: string | undefined): string {
  const { message, remedy, blame, retryable, status } = faultDefinition(code);
  return `## ${code}

${message.replaceAll('\n', ' ')}

- What to do: ${remedy}
- Whose move: ${blames[blame]}
- Retryable: ${retryable ? 'yes' : 'no'} · HTTP ${status}${
    followedBy === undefined
      ? ''
      : `
- Tested by: \`${followedBy}\``
  }`;
}
