import type { Notice } from '../../gate/index.ts';

type Facts = Notice['facts'];

/** What happened, and what a person can do about it. */
const sentences: Readonly<Record<Notice['event'], (facts: Facts) => string>> = {
  'proposal-held': ({ actor, tool, approval }) =>
    `${actor} waits for an approval of ${tool}. Look at it: \`surety approvals ${approval}\`, then \`surety approve ${approval}\` or \`surety refuse ${approval}\``,
  'recovery-held': ({ proposal, tool, reason }) =>
    `It is unknown whether ${tool} took effect: ${reason}. Look at it: \`surety explain ${proposal}\``,
  'report-refused': ({ proposal, tool, recorded, reported }) =>
    `An executor reports that ${tool} is ${reported}, but ${recorded} is recorded. Look at it: \`surety explain ${proposal}\``,
  'stop-set': ({ scope, reason }) =>
    `Stopped: ${scope} (${reason}). Lift it: \`surety stop --lift ${scope} --reason …\``,
  'policy-rejected': ({ reason, inForce }) =>
    `The changed policy was rejected: ${reason}. In force: ${inForce}. Look at it: \`surety policy show\``,
  'task-lost': ({ task, agent, rule }) =>
    `${agent} did nothing for ${task} within its lease (rule: ${rule}). Look at it: \`surety task show ${task}\``,
};

const noticeCharsMax = 3_000;

/** One line for a chat. Agents write the facts: nothing in them may become a link or a mention. */
export function formatNotice({ event, facts }: Notice): string {
  const escaped = Object.entries(facts).map(([name, value]) => [name, escapeMarkup(value)]);
  return sentences[event](Object.fromEntries(escaped)).slice(0, noticeCharsMax);
}

function escapeMarkup(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (text ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[`\n\r]/g, ' ');
}
