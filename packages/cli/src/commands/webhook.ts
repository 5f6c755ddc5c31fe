import { type Command, Option } from 'commander';
import type { AddFlags, DeliveriesFlags, ReplayFlags, RotateFlags } from '../actions/webhook.ts';
import { adminCommand, examples } from '../command-options.ts';
import { parseDuration } from '../input/parse-duration.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { WebhookFlags } from '../webhooks/webhook-admin.ts';

const actions = () => import('../actions/webhook.ts');

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

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
    .action(async (address: string, flags: AddFlags) => (await actions()).add(address, flags));

  command('list', 'list the webhooks of a project, and how they do')
    .addHelpText(
      'after',
      examples('permitry webhook list', 'permitry webhook list --url https://gate.example.org'),
    )
    .action(async (flags: WebhookFlags) => (await actions()).list(flags));

  command('test', 'send an event of the type webhook.test')
    .argument('<webhook>', 'its id, description or address')
    .addHelpText('after', examples('permitry webhook test whk_01m7vsvz60cy387nxk9aen384t'))
    .action(async (which: string, flags: WebhookFlags) => (await actions()).test(which, flags));

  command('deliveries', 'list what was and is to be sent, newest first')
    .argument('<webhook>', 'its id, description or address')
    .addOption(new Option('--state <state>', 'those alone').choices(['waiting', 'delivered', 'failed']))
    .option('--limit <n>', 'the newest so many, 200 at most', wholeNumber(1, 200), 50)
    .addHelpText('after', examples('permitry webhook deliveries ledger --state failed'))
    .action(async (which: string, flags: DeliveriesFlags) => (await actions()).deliveries(which, flags));

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
    .action(async (which: string, flags: ReplayFlags) => (await actions()).replay(which, flags));

  command('rotate', 'make a new secret and show it, once; the old one signs beside it for a while')
    .argument('<webhook>', 'its id, description or address')
    .option(
      '--overlap <time>',
      'how long, such as 12h; 0s ends older secrets at once',
      parseDuration(0, 7 * 86_400),
    )
    .addHelpText('after', examples('permitry webhook rotate ledger --overlap 12h'))
    .action(async (which: string, flags: RotateFlags) => (await actions()).rotate(which, flags));

  command('remove', 'remove a webhook, with what waits for it')
    .argument('<webhook>', 'its id, description or address')
    .option('--yes', 'without being asked')
    .addHelpText('after', examples('permitry webhook remove ledger --yes'))
    .action(async (which: string, flags: WebhookFlags & { yes?: true }) =>
      (await actions()).remove(which, flags),
    );
}
