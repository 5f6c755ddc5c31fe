import { INBOX_ORDERS, RISK_TIERS } from '@permitry/protocol';
import { type Command, Option } from 'commander';
import type { DecideFlags } from '../actions/decide.ts';
import type { WatchFlags } from '../actions/watch.ts';
import { examples, remoteCommand } from '../command-options.ts';
import { parseDuration } from '../input/parse-duration.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { EXIT_CODES_HELP } from '../intents/exit-codes.ts';
import type { InboxFlags } from '../intents/list-inbox.ts';
import type { ConnectionFlags } from '../profile/read-profile.ts';

const reading = () => import('../actions/inbox.ts');
const deciding = () => import('../actions/decide.ts');

const PROJECT = '--project <id|name>';

export function addInboxCommands(program: Command): void {
  remoteCommand(program, 'inbox', 'what waits for a decision')
    .option(PROJECT, 'only of this project')
    .option('--action <name>', 'only this action; with * at its end all that begin so')
    .addOption(new Option('--risk <tier>', 'only of this risk').choices(RISK_TIERS))
    .option('--search <words>', 'text to find in action, source, requester, ID or parameters')
    .option('--mine', 'only what you may decide')
    .addOption(
      new Option('--sort <order>', 'newest, expiring soonest, or highest risk first').choices(INBOX_ORDERS),
    )
    .option('--limit <n>', 'so many at most', wholeNumber(1, 1000), 50)
    .option('--watch', 'follow what happens; with --json a line for each change')
    .addHelpText('after', examples('permitry inbox --watch', 'permitry inbox --mine --json'))
    .action(async (flags: InboxFlags & { watch?: true }) => (await reading()).inbox(flags));

  remoteCommand(program, 'show', 'all of one request, as it would be decided')
    .argument('<id>', 'of the request (int_…)')
    .addHelpText('after', examples('permitry show int_01hzy8', 'permitry show int_01hzy8 --json'))
    .action(async (id: string, flags: ConnectionFlags) => (await reading()).show(id, flags));

  remoteCommand(program, 'approve', 'approve requests, each shown first')
    .description(
      'Shows each request whole, asks, and approves exactly what was shown: one that\nchanged meanwhile is refused.',
    )
    .argument('<id...>', 'of the requests (int_…)')
    .option('--comment <text>', 'kept with the approval')
    .option(
      '-y, --yes',
      'do not ask; without a terminal, a person’s sign-in also needs\nPERMITRY_APPROVE_WITHOUT_TERMINAL=true',
    )
    .addHelpText('after', examples('permitry approve int_01hzy8 --comment "as agreed"'))
    .action(async (ids: string[], flags: DecideFlags) => (await deciding()).approve(ids, flags));

  remoteCommand(program, 'deny', 'deny requests, each shown first')
    .argument('<id...>', 'of the requests (int_…)')
    .option('--reason <text>', 'told to whoever asked')
    .option('-y, --yes', 'do not ask; needed where there is no terminal')
    .addHelpText('after', examples('permitry deny int_01hzy8 --reason "not on a Friday"'))
    .action(async (ids: string[], flags: DecideFlags) => (await deciding()).deny(ids, flags));

  remoteCommand(program, 'watch', 'what happens, as it happens')
    .description(
      'What happens, as it happens: in your projects, or to one request until it is\ndecided. With --json a line for each event.',
    )
    .argument('[id]', 'of one request (int_…)')
    .option(PROJECT, 'only in this project')
    .option('--type <types>', 'only these events, e.g. intent.created,intent.denied')
    .option('--wait <time>', 'of one request: so long at most', parseDuration(0, 30 * 86_400))
    .addHelpText(
      'after',
      `${examples('permitry watch', 'permitry watch int_01hzy8 --wait 30m')}${EXIT_CODES_HELP}`,
    )
    .action(async (id: string | undefined, flags: WatchFlags) =>
      (await import('../actions/watch.ts')).watch(id, flags),
    );
}
