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
  'incident-opened': ({ incident, service, owner, alerts }) =>
    `Incident of ${service || 'an unknown service'}${forOwner(owner)}: ${alerts}. Look at it: \`surety incident show ${incident}\`, then \`surety investigate ${incident}\``,
  'incident-closed': ({ incident, service, owner, reason }) =>
    `The incident of ${service || 'an unknown service'}${forOwner(owner)} is over: ${reason}. Look at it: \`surety incident show ${incident}\``,
  'promotion-held': ({ services, reason }) =>
    `The promotion of ${services} is not kept yet: ${reason}. Look at it: \`surety status\``,
  'promotion-returned': ({ services, reason }) =>
    `The promotion of ${services} was taken back: ${reason}. Look at it: \`surety deploy list\``,
  'promotion-stuck': ({ services, reason, failure }) =>
    `The promotion of ${services} makes things worse (${reason}) and could not be taken back: ${failure}. Try it: \`surety rollback\``,
};

const forOwner = (owner: unknown): string =>
  typeof owner === 'string' && owner !== 'null' ? `, for ${owner}` : '';

const noticeCharsMax = 3_000;

/** One line for a chat. Agents write the facts: nothing in them may become a link or a mention. */
export function formatNotice({ event, facts }: Notice): string {
  const escaped = Object.entries(facts).map(([name, value]) => [name, escapeMarkup(value)]);
  return sentences[event](Object.fromEntries(escaped)).slice(0, noticeCharsMax);
}

function escapeMarkup(value: unknown): string {
  const isNames = Array.isArray(value) && value.every((one) => typeof one === 'string');
  const list = isNames ? value.join(', ') : value;
  const text = typeof list === 'string' ? list : JSON.stringify(list);
  return (text ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[`\n\r]/g, ' ');
}
