import { createClock, pluralize } from '../../../kernel/index.ts';
import { reapNamespaces } from '../../../kubernetes/index.ts';
import type { RunCommand } from '../../command.ts';

export const run: RunCommand = async ({ output, options }) => {
  const context = typeof options.context === 'string' ? options.context : undefined;
  const { deleted, kept } = await reapNamespaces(context, createClock().now());
  output.value({ deleted, kept });
  for (const name of deleted) output.line(`deleted ${name}`);
  output.line(`${pluralize(kept.length, 'namespace')} of changes still within their lifetime`);
  return undefined;
};
