import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import type { WorkspacePlace } from '../../../runtime/place.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output, words: [subject = ''], options }) => {
  const contents = await countContents(place, subject);
  if (!options.yes) {
    output.value({ subject, contents, shredded: false });
    output.line(
      `${contents} contents are about ${subject}. They cannot be recovered once destroyed.`,
    );
    output.line(`    try  surety ledger shred ${subject} --yes`);
    return;
  }
  const { seq } = await connectDaemon(place).call('POST /v1/shred', { body: { subject } });
  output.value({ subject, contents, shredded: true, seq });
  output.line(
    `${output.tone('good', 'shredded')}  ${contents} contents about ${subject}, entry ${seq}`,
  );
};

async function countContents(place: WorkspacePlace, subject: string): Promise<number> {
  const reader = await openLedgerReader(place);
  let count = 0;
  for await (const page of reader.scanContents(0)) {
    count += page.filter(
      (content) => content.subject === subject && content.shreddedBy === null,
    ).length;
  }
  await reader.close();
  return count;
}
