import { fault, type JsonObject, parseStrictJson } from '../kernel/index.ts';
import type { Content, ContentDraft } from '../ledger/index.ts';
import { type CompiledPolicy, compilePolicy, policyText } from './language/index.ts';

const contentName = 'policy';

/** The whole document, stored with the entry that puts it in force. */
export function policyContent({ hash, document }: CompiledPolicy): ContentDraft {
  return { name: contentName, subject: `policy:${hash}`, value: policyText(document) };
}

/** The policy that an entry put in force, or a fault if it does not match its hash. */
export function readPolicyContent(
  contents: readonly Content[],
  hash: string,
  seq: number,
): CompiledPolicy {
  const value = contents.find(({ name }) => name === contentName)?.value;
  if (value === undefined) throw fault('CONTENT_SHREDDED', { name: contentName, seq });
  // Older ledgers contain an object instead of a text.
  const document = typeof value === 'string' ? parseStrictJson(value) : value;
  const policy = compilePolicy(document as JsonObject);
  if (policy.hash === hash) return policy;
  throw fault('POLICY_NOT_KEPT', { hash, seq, found: policy.hash });
}
