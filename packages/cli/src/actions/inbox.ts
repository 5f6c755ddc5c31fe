import { describeIntent } from '../intents/describe-intent.ts';
import { type InboxFlags, type InboxItem, inboxColumns, listInbox } from '../intents/list-inbox.ts';
import { readReviewedIntent } from '../intents/reviewed-intent.ts';
import { watchInbox } from '../live/watch-inbox.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';
import { openClient, openClientAs } from '../profile/open-client.ts';
import type { ConnectionFlags } from '../profile/read-profile.ts';
import { readProfile } from '../profile/read-profile.ts';

export async function inbox(flags: InboxFlags & { watch?: true }): Promise<void> {
  const profile = readProfile(flags);
  const client = openClientAs(profile);
  if (flags.watch) return watchInbox(client, profile, flags);
  const page = await listInbox(client, flags);
  if (flags.json) return printJson(page);
  printTable<InboxItem>(page.data, inboxColumns, 'Nothing waits for a decision.');
  const hidden = page.next_cursor !== null;
  if (hidden)
    process.stderr.write(
      `There are more: ${page.pending_total}${page.pending_more ? '+' : ''} wait in all; see --limit.\n`,
    );
}

export async function show(id: string, flags: ConnectionFlags): Promise<void> {
  const intent = await readReviewedIntent(openClient(flags), id);
  if (flags.json) return printJson(intent);
  process.stdout.write(describeIntent(intent));
}
