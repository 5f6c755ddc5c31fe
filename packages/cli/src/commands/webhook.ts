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
import { counted, fullTime, sayVisibly, shortTime } from '../printing/say.ts';
import type { ConnectionFlags } from '../profile/open-client.ts';

type Webhook = Static<typeof WebhookSchema>;
type WithSecret = Webhook & { secret: string };
type Delivery = Static<typeof WebhookDeliverySchema>;
type Flags = AdminFlags & ConnectionFlags;

export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .summary('send events to other systems')
    .description('Send the events of a project to other systems, signed as Standard Webhooks specifies.')
    .addHelpText('after', examples('permitry webhook add https://hooks.example.org/permitry'));

  const command = (name: string, summary: string, when?: string) =>
    adminCommand(webhook, name, summary, when).option(
      '--url <url>',
      'use the gate at this address, with your sign-in there or the key in PERMITRY_KEY; in live mode, add, rotate and remove work only in the dashboard or on the gate’s machine',
    );

  command('add', 'add a webhook and show its signing secret once')
    .argument('<address>')
    .option(
      '--event <type>',
      'event type, such as intent.* or key.revoked (repeatable; default: all)',
      collect,
    )
    .option('--description <text>', 'name of the webhook in lists')
    .addHelpText(
      'after',
      examples("permitry webhook add https://hooks.example.org/permitry --event 'intent.*'"),
    )
    .action(add);

  command('list', 'list the webhooks of a project and their states')
    .addHelpText(
      'after',
      examples('permitry webhook list', 'permitry webhook list --url https://gate.example.org'),
    )
    .action(list);

  command('test', 'send a test event (webhook.test)')
    .argument('<webhook>', 'its ID, description or address')
    .addHelpText('after', examples('permitry webhook test whk_01m7vsvz60cy387nxk9aen384t'))
    .action(test);

  command('deliveries', 'list the deliveries of a webhook, newest first')
    .argument('<webhook>', 'its ID, description or address')
    .addOption(
      new Option('--state <state>', 'only deliveries in this state').choices([
        'waiting',
        'delivered',
        'failed',
      ]),
    )
    .option('--limit <n>', 'at most this many, up to 200', wholeNumber(1, 200), 50)
    .addHelpText('after', examples('permitry webhook deliveries ledger --state failed'))
    .action(deliveries);

  command('replay', 'replay one delivery, or a range of the audit log')
    .argument('<webhook>', 'its ID, description or address')
    .option('--delivery <id>', 'replay only this delivery')
    .option('--from <time>', 'replay events from this time on (ISO 8601)')
    .option('--to <time>', 'replay events before this time')
    .option(
      '--after-seq <n>',
      'replay events after this seq of the audit log',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option('--event <type>', 'only events of this type (repeatable)', collect)
    .addHelpText('after', examples('permitry webhook replay ledger --from 2026-11-01T00:00:00Z'))
    .action(replay);

  command(
    'rotate',
    'create a new signing secret and show it once',
    'The old secret stays valid for a day, or for --overlap.',
  )
    .argument('<webhook>', 'its ID, description or address')
    .option(
      '--overlap <time>',
      'how long the old secret stays valid, such as 12h; 0s ends it at once',
      parseDuration(0, 7 * 86_400),
    )
    .addHelpText('after', examples('permitry webhook rotate ledger --overlap 12h'))
    .action(rotate);

  command('remove', 'remove a webhook and its pending deliveries')
    .argument('<webhook>', 'its ID, description or address')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', examples('permitry webhook remove ledger --yes'))
    .action(remove);
}

/** Uses the API's names both on local storage and at a remote gate, so that `--json` shows the same output. */
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
      throw refused(
        `There is no webhook ${sayVisibly(which)} in this project. List them with: permitry webhook list`,
        'not_found',
      );
    if (found.length > 1)
      throw usage(
        `Several webhooks have this name. Pass the ID of one: ${found.map(({ id }) => sayVisibly(id)).join(', ')}`,
      );
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
        'This address is private. Only gates whose PERMITRY_ALLOW_PRIVATE_TARGETS lists it send events there.\n',
      );
    if (flags.json) return printJson(made);
    showSecret(`Added webhook ${made.id}. Events now go to ${made.url ?? url}.`, made.secret);
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
        {
          title: 'ADDRESS',
          text: ({ url }) => url ?? 'unknown: its encryption key is missing',
          shrinks: true,
        },
        { title: 'NAME', text: ({ description }) => description ?? '-', shrinks: true },
        { title: 'EVENTS', text: ({ event_types: types }) => types?.join(', ') ?? 'all', shrinks: true },
        { title: 'STATE', text: sayState, shrinks: true },
        {
          title: 'LAST DELIVERED',
          text: ({ last_delivered_at: at }) => (at === null ? 'never' : shortTime(at)),
        },
      ],
      'This project has no webhooks. Add one with: permitry webhook add https://…',
    );
  });
}

async function test(which: string, flags: Flags): Promise<void> {
  await atWebhook(which, flags, async (at, path, { id }) => {
    const queued = await at.ask<Delivery>('POST', `${path}/test`);
    if (flags.json) return printJson(queued);
    process.stdout.write(
      `The test event is queued. A running gate sends it at once. See its state with: permitry webhook deliveries ${sayVisibly(id)}\n`,
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
        { title: 'CREATED', text: ({ created_at: at }) => shortTime(at) },
        { title: 'STATE', text: ({ state: now }) => now },
        { title: 'ATTEMPTS', text: ({ attempts }) => String(attempts) },
        { title: 'RESPONSE', text: sayAnswer, shrinks: true },
      ],
      'This webhook has no deliveries yet.',
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
    throw usage('Pass --delivery, or a range of the audit log; not both.');
  if (delivery === undefined && from === undefined && afterSeq === undefined)
    throw usage('Pass what to replay: --delivery ID, --from TIME or --after-seq N.');
  await atWebhook(which, flags, async (at, path) => {
    if (delivery !== undefined) {
      const again = await at.ask<Delivery>(
        'POST',
        `${path}/deliveries/${encodeURIComponent(delivery)}/replay`,
      );
      if (flags.json) return printJson(again);
      process.stdout.write(`The delivery is queued again: ${sayVisibly(again.id)}\n`);
      return;
    }
    const replayed = await at.ask<Static<typeof WebhookReplaySchema>>('POST', `${path}/replay`, {
      body: { from, to, after_seq: afterSeq, event_types: event },
    });
    if (flags.json) return printJson(replayed);
    process.stdout.write(
      `${counted(replayed.queued, 'event')} queued for replay (${sayVisibly(replayed.replay_id)}).\n`,
    );
    if (replayed.next_after_seq !== null)
      process.stdout.write(`There are more. Continue with: --after-seq ${Number(replayed.next_after_seq)}\n`);
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
        ? 'Only the new secret is valid from now on.'
        : `The old secret stays valid until ${fullTime(until, process.stderr)}.`,
      rotated.secret,
    );
  });
}

async function remove(which: string, flags: Flags & { yes?: true }): Promise<void> {
  await atWebhook(which, flags, async (at, path, { id, description, url }) => {
    const isMeant =
      flags.yes ??
      (await confirm(
        `Remove the webhook ${sayVisibly(description ?? url ?? id)} and its pending deliveries?`,
      ));
    if (!isMeant) throw refused('Nothing was removed.');
    await at.ask('DELETE', path);
    if (flags.json) return printJson({ id, removed: true });
    process.stdout.write(`Removed ${sayVisibly(id)}.\n`);
  });
}

/** Only the secret goes to stdout, so that a script can write it to a file without showing it. */
function showSecret(sentence: string, secret: string): void {
  process.stderr.write(`${sayVisibly(sentence)}\nIts signing secret, shown only once:\n`);
  process.stdout.write(`${sayVisibly(secret)}\n`);
}

function sayState(webhook: Webhook): string {
  if (!webhook.enabled) return `disabled: ${webhook.disabled_reason ?? 'requested'}`;
  if (webhook.failing_since === null) return 'active';
  const { failing_since: since, paused_until: until } = webhook;
  return `failing since ${shortTime(since)}${until === null ? '' : `, next retry ${shortTime(until)}`}`;
}

function sayAnswer({ last_status: status, last_error: error }: Delivery): string {
  if (status === null) return error ?? '-';
  return error === null ? String(status) : `${status}: ${error}`;
}
