import type {
  Static,
  WebhookDeliverySchema,
  WebhookReplaySchema,
  WebhookSchema,
} from '@permitry/protocol/schemas';
import { type Command, Option } from 'commander';
import { type AtProject, atProject, atProjectElsewhere } from '../at-project.ts';
import { refused, usage } from '../command-failure.ts';
import { type AdminFlags, adminCommand, collect, examples } from '../command-options.ts';
import { confirm } from '../input/ask.ts';
import { parseDuration, wholeNumber } from '../input/parse-argument.ts';
import { printJson, printTable } from '../printing/print.ts';
import { counted, sayVisibly, shortTime } from '../printing/say.ts';
import type { ConnectionFlags } from '../profile/open-client.ts';

type Webhook = Static<typeof WebhookSchema>;
type WithSecret = Webhook & { secret: string };
type Delivery = Static<typeof WebhookDeliverySchema>;
type Flags = AdminFlags & ConnectionFlags;

export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .summary('where events of a project are sent')
    .description('Where events of a project are sent, signed by Standard Webhooks.')
    .addHelpText('after', examples('permitry webhook add https://hooks.example.org/permitry'));

  const command = (name: string, summary: string) =>
    adminCommand(webhook, name, summary).option(
      '--url <url>',
      'at this gate instead, as who is signed in there or as the key in PERMITRY_KEY; in live mode add, rotate and remove work in the dashboard or on the gate’s machine',
    );

  command('add', 'send events to an address, and show the secret that signs them, once')
    .argument('<address>')
    .option('--event <type>', 'such as intent.* or key.revoked; repeatable; all when left out', collect)
    .option('--description <text>', 'what people will know it by')
    .addHelpText(
      'after',
      examples("permitry webhook add https://hooks.example.org/permitry --event 'intent.*'"),
    )
    .action(add);

  command('list', 'list the webhooks of a project, and how they do')
    .addHelpText(
      'after',
      examples('permitry webhook list', 'permitry webhook list --url https://gate.example.org'),
    )
    .action(list);

  command('test', 'send an event of the type webhook.test')
    .argument('<webhook>', 'its id, description or address')
    .addHelpText('after', examples('permitry webhook test whk_01m7vsvz60cy387nxk9aen384t'))
    .action(test);

  command('deliveries', 'list what was and is to be sent, newest first')
    .argument('<webhook>', 'its id, description or address')
    .addOption(new Option('--state <state>', 'those alone').choices(['waiting', 'delivered', 'failed']))
    .option('--limit <n>', 'the newest so many, 200 at most', wholeNumber(1, 200), 50)
    .addHelpText('after', examples('permitry webhook deliveries ledger --state failed'))
    .action(deliveries);

  command('replay', 'send events once more: one delivery, or a range of the log')
    .argument('<webhook>', 'its id, description or address')
    .option('--delivery <id>', 'this one alone')
    .option('--from <time>', 'what happened then or later (ISO 8601)')
    .option('--to <time>', 'what happened before')
    .option(
      '--after-seq <n>',
      'what stands after this place in the log',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option('--event <type>', 'such events alone; repeatable', collect)
    .addHelpText('after', examples('permitry webhook replay ledger --from 2026-11-01T00:00:00Z'))
    .action(replay);

  command('rotate', 'make a new secret and show it, once; the old one signs beside it for a while')
    .argument('<webhook>', 'its id, description or address')
    .option(
      '--overlap <time>',
      'how long, such as 12h; 0s ends older secrets at once',
      parseDuration(0, 7 * 86_400),
    )
    .addHelpText('after', examples('permitry webhook rotate ledger --overlap 12h'))
    .action(rotate);

  command('remove', 'remove a webhook, with what waits for it')
    .argument('<webhook>', 'its id, description or address')
    .option('--yes', 'without being asked')
    .addHelpText('after', examples('permitry webhook remove ledger --yes'))
    .action(remove);
}

/** Uses the API's own words in both places, so that `--json` shows the same. */
async function atWebhooks(
  flags: Flags,
  work: (at: AtProject, isPrivate: (url: string) => boolean) => Promise<void>,
): Promise<void> {
  if (flags.url !== undefined) return atProjectElsewhere(flags, (at) => work(at, () => false));
  const { openToWebhooks } = await import('@permitry/server/operator');
  let isPrivate = (_url: string) => false;
  return atProject(
    flags,
    (at) => work(at, isPrivate),
    ({ allowPrivateTargets }) => {
      const open = openToWebhooks(allowPrivateTargets);
      isPrivate = open.isPrivate;
      return { reach: open.reach };
    },
  );
}

/** @param work Receives the chosen webhook and its path. */
async function atWebhook(
  which: string,
  flags: Flags,
  work: (at: AtProject, path: string, webhook: Webhook) => Promise<void>,
): Promise<void> {
  await atWebhooks(flags, async (at) => {
    const webhooks = await at.list<Webhook>('/webhooks');
    const found = webhooks.filter(
      ({ id, description, url }) => id === which || description === which || url === which,
    );
    const [webhook] = found;
    if (!webhook)
      throw refused(`There is no webhook ${sayVisibly(which)} here; see: permitry webhook list`, 'not_found');
    if (found.length > 1)
      throw usage(`Several are called so; give an id: ${found.map(({ id }) => sayVisibly(id)).join(', ')}`);
    await work(at, `/webhooks/${encodeURIComponent(webhook.id)}`, webhook);
  });
}

async function add(
  url: string,
  { event, description, ...flags }: Flags & { event?: string[]; description?: string },
): Promise<void> {
  await atWebhooks(flags, async (at, isPrivate) => {
    const made = await at.ask<WithSecret>('POST', '/webhooks', {
      body: { url, event_types: event, description },
    });
    if (isPrivate(url))
      process.stderr.write(
        'This address is private. Events are sent there only by gates whose own PERMITRY_ALLOW_PRIVATE_TARGETS lists it.\n',
      );
    if (flags.json) return printJson(made);
    showSecret(`Events go to ${made.url ?? url} from now on: ${made.id}`, made.secret);
  });
}

async function list(flags: Flags): Promise<void> {
  await atWebhooks(flags, async (at) => {
    const webhooks = await at.list<Webhook>('/webhooks');
    if (flags.json) return printJson(webhooks);
    printTable(
      webhooks,
      [
        { title: 'ID', text: ({ id }) => id },
        { title: 'ADDRESS', text: ({ url }) => url ?? 'unknown: its key is gone', shrinks: true },
        { title: 'NAME', text: ({ description }) => description ?? '-', shrinks: true },
        { title: 'EVENTS', text: ({ event_types: types }) => types?.join(', ') ?? 'all', shrinks: true },
        { title: 'STATE', text: sayState, shrinks: true },
        { title: 'LAST TAKEN', text: ({ last_delivered_at: at }) => (at === null ? 'never' : shortTime(at)) },
      ],
      'This project has no webhooks; make one with: permitry webhook add https://…',
    );
  });
}

async function test(which: string, flags: Flags): Promise<void> {
  await atWebhook(which, flags, async (at, path, { id }) => {
    const queued = await at.ask<Delivery>('POST', `${path}/test`);
    if (flags.json) return printJson(queued);
    process.stdout.write(
      `A test event is on its way, as soon as a gate serves. How it went: permitry webhook deliveries ${sayVisibly(id)}\n`,
    );
  });
}

async function deliveries(
  which: string,
  { state, limit, ...flags }: Flags & { state?: string; limit: number },
): Promise<void> {
  await atWebhook(which, flags, async (at, path) => {
    const query = { limit, state };
    const { data } = await at.ask<{ data: Delivery[] }>('GET', `${path}/deliveries`, { query });
    if (flags.json) return printJson(data);
    printTable(
      data,
      [
        { title: 'ID', text: ({ id }) => id },
        { title: 'EVENT', text: ({ event_type: type }) => type },
        { title: 'MADE', text: ({ created_at: at }) => shortTime(at) },
        { title: 'STATE', text: ({ state: now }) => now },
        { title: 'TRIES', text: ({ attempts }) => String(attempts) },
        { title: 'ANSWER', text: sayAnswer, shrinks: true },
      ],
      'Nothing was sent to this webhook yet, nor is to be.',
    );
  });
}

interface ReplayFlags extends Flags {
  delivery?: string;
  from?: string;
  to?: string;
  afterSeq?: number;
  event?: string[];
}

async function replay(which: string, flags: ReplayFlags): Promise<void> {
  const { delivery, from, to, afterSeq, event } = flags;
  const isRange = from !== undefined || to !== undefined || afterSeq !== undefined || event !== undefined;
  if (delivery !== undefined && isRange)
    throw usage('Name one delivery with --delivery, or a range of the log; not both.');
  if (delivery === undefined && from === undefined && afterSeq === undefined)
    throw usage('Say what to send again: --delivery ID, --from TIME or --after-seq N.');
  await atWebhook(which, flags, async (at, path) => {
    if (delivery !== undefined) {
      const again = await at.ask<Delivery>(
        'POST',
        `${path}/deliveries/${encodeURIComponent(delivery)}/replay`,
      );
      if (flags.json) return printJson(again);
      process.stdout.write(`It is sent once more: ${sayVisibly(again.id)}\n`);
      return;
    }
    const replayed = await at.ask<Static<typeof WebhookReplaySchema>>('POST', `${path}/replay`, {
      body: { from, to, after_seq: afterSeq, event_types: event },
    });
    if (flags.json) return printJson(replayed);
    process.stdout.write(
      `${counted(replayed.queued, 'event')} sent once more (${sayVisibly(replayed.replay_id)}).\n`,
    );
    if (replayed.next_after_seq !== null)
      process.stdout.write(`There are more; go on with: --after-seq ${Number(replayed.next_after_seq)}\n`);
  });
}

/** @param flags `overlap`: in seconds. */
async function rotate(which: string, flags: Flags & { overlap?: number }): Promise<void> {
  await atWebhook(which, flags, async (at, path) => {
    const rotated = await at.ask<WithSecret>('POST', `${path}/rotate-secret`, {
      body: { overlap_seconds: flags.overlap },
    });
    if (flags.json) return printJson(rotated);
    const { previous_secrets_end_at: until } = rotated;
    showSecret(
      until === null
        ? 'Only the new secret signs from now on.'
        : `The old secret signs beside it until ${shortTime(until)}.`,
      rotated.secret,
    );
  });
}

async function remove(which: string, flags: Flags & { yes?: true }): Promise<void> {
  await atWebhook(which, flags, async (at, path, { id, description, url }) => {
    const isMeant =
      flags.yes ??
      (await confirm(
        `Remove the webhook to ${sayVisibly(description ?? url ?? id)}, with what waits for it?`,
        'Nobody can be asked here whether this is meant: add --yes.',
      ));
    if (!isMeant) throw refused('Nothing was removed.');
    await at.ask('DELETE', path);
    if (flags.json) return printJson({ id, removed: true });
    process.stdout.write(`Removed ${sayVisibly(id)}.\n`);
  });
}

/** Only the secret goes to stdout, so that it can go into a file unseen. */
function showSecret(sentence: string, secret: string): void {
  process.stderr.write(`${sayVisibly(sentence)}\nThe secret that signs them, shown this once:\n`);
  process.stdout.write(`${sayVisibly(secret)}\n`);
}

function sayState(webhook: Webhook): string {
  if (!webhook.enabled) return `disabled: ${webhook.disabled_reason ?? 'requested'}`;
  if (webhook.failing_since === null) return 'active';
  const { failing_since: since, paused_until: until } = webhook;
  return `failing since ${shortTime(since)}${until === null ? '' : `, next try ${shortTime(until)}`}`;
}

function sayAnswer({ last_status: status, last_error: error }: Delivery): string {
  if (status === null) return error ?? '-';
  return error === null ? String(status) : `${status}: ${error}`;
}
