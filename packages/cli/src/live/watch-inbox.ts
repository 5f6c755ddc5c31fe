/** Owns the inbox list that follows events. Reads the list again after every event, and at intervals. */
import type { Permitry } from '@permitry/sdk';
import { type InboxFlags, type InboxItem, inboxColumns, listInbox } from '../intents/list-inbox.ts';
import { printLine, toTable } from '../printing/print.ts';
import { paint, sayVisibly, timeOfDay } from '../printing/say.ts';
import type { Profile } from '../profile/open-client.ts';
import { chooseProjects, readMe } from '../profile/read-me.ts';
import { followProjects } from './follow-projects.ts';

/** Waits for events that arrive together, so that one read shows all of them. */
const GATHER_MS = 150;
/** Reads the list at this interval even without events: requests expire, and some decisions send no event here. */
const POLL_ANYWAY_MS = 15_000;
const CLEAR = '\u001b[H\u001b[2J';

/** Runs until Ctrl-C. On a terminal the list is redrawn in its place. In a pipe each change is a line. */
export async function watchInbox(client: Permitry, profile: Profile, flags: InboxFlags): Promise<void> {
  const projectIds = chooseProjects(await readMe(client), flags.project);
  const ending = new AbortController();
  const show = createShow(flags);
  let polling: Promise<void> | undefined;
  let again = false;
  const failed = Promise.withResolvers<never>();
  const poll = (): void => {
    if (polling) {
      again = true;
      return;
    }
    polling = listInbox(client, flags)
      .then(({ data }) => show(data))
      .catch((error: unknown) => complain(error, failed.reject))
      .finally(() => {
        polling = undefined;
        if (again) setTimeout(poll, GATHER_MS);
        again = false;
      });
  };
  let soon: NodeJS.Timeout | undefined;
  const pollSoon = (): void => {
    clearTimeout(soon);
    soon = setTimeout(poll, GATHER_MS);
  };
  const clock = setInterval(poll, POLL_ANYWAY_MS);
  poll();
  try {
    // After the stream opens, no event is missed. The first read shows everything earlier.
    const following = followProjects(
      profile,
      projectIds,
      { signal: ending.signal, onOpen: pollSoon },
      pollSoon,
    );
    await Promise.race([following, failed.promise]);
  } finally {
    ending.abort();
    clearInterval(clock);
    clearTimeout(soon);
  }
}

/** Retries a gate that cannot be reached for a short time. A gate that refuses us is not retried. */
function complain(error: unknown, fail: (error: unknown) => void): void {
  const { status } = error as { status?: number };
  if (status !== undefined && status < 500 && status !== 429) fail(error);
}

function createShow({ json }: InboxFlags): (items: readonly InboxItem[]) => void {
  if (process.stdout.isTTY && !json) return draw;
  let known = new Map<string, InboxItem>();
  return (items) => {
    for (const item of items) {
      const before = known.get(item.id);
      if (!before) tell('added', item, json);
      else if (JSON.stringify(before) !== JSON.stringify(item)) tell('changed', item, json);
    }
    const now = new Map(items.map((item) => [item.id, item]));
    for (const [id, item] of known) if (!now.has(id)) tell('gone', item, json);
    known = now;
  };
}

function tell(change: 'added' | 'changed' | 'gone', item: InboxItem, json: true | undefined): void {
  if (json) {
    printLine(change === 'gone' ? { change, id: item.id } : { change, ...item });
    return;
  }
  const { id, action, params_preview, requester } = item;
  const params =
    change === 'gone'
      ? ''
      : `  ${sayVisibly(params_preview.text)}${params_preview.more > 0 ? ` … (${params_preview.more} more)` : ''}`;
  process.stdout.write(
    `${change.padEnd(7)}  ${sayVisibly(id)}  ${sayVisibly(action)}  ${sayVisibly(requester.display)}${params}\n`,
  );
}

function draw(items: readonly InboxItem[]): void {
  const list = items.length === 0 ? 'No pending requests.\n' : toTable(items, inboxColumns);
  const rows = list.split('\n');
  const room = (process.stdout.rows || 24) - 3;
  const cut = rows.length - 1 > room;
  const shown = cut ? `${rows.slice(0, room).join('\n')}\n… and ${rows.length - 1 - room} more\n` : list;
  process.stdout.write(
    `${CLEAR}${shown}${paint('dim', `Updated ${timeOfDay(new Date().toISOString())}. Press Ctrl-C to stop.`)}\n`,
  );
}
