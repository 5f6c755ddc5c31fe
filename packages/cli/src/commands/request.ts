import { PROOF_TIERS, RISK_TIERS, SOURCE_TYPES } from '@permitry/protocol';
import { type Command, Option } from 'commander';
import type { RequestFlags } from '../actions/request.ts';
import type { RunFlags } from '../actions/run.ts';
import type { VerifyFlags } from '../actions/verify.ts';
import { examples, remoteCommand } from '../command-options.ts';
import { parseDuration } from '../input/parse-duration.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { EXIT_CODES_HELP } from '../intents/exit-codes.ts';

const MONTH_SECONDS = 30 * 86_400;

export function addRequestCommands(program: Command): void {
  askOptions(remoteCommand(program, 'request', 'ask for an approval, and wait for it'))
    .description(
      'Declares an action and waits until it is decided. With --json a line for the\nrequest while it waits, and a line for how it ended.',
    )
    .argument('<action>', 'e.g. deploy.production')
    .option('--params <json>', "what it is done with: '{…}', @FILE or - for stdin")
    .option('--consume', 'use the permit at once: what follows may run')
    .addOption(
      new Option('--output <form>', 'permit: the token alone on stdout')
        .choices(['text', 'permit', 'json'])
        .default('text'),
    )
    .option('--idempotency-key <key>', 'the same key asks the same thing once')
    .addHelpText(
      'after',
      `${examples(
        'permitry request deploy.production --params \'{"version":"1.4.2"}\'',
        'permitry request db.migrate --wait 30m --consume && ./migrate.sh',
      )}${EXIT_CODES_HELP}`,
    )
    .action(async (action: string, flags: RequestFlags) =>
      (await import('../actions/request.ts')).request(action, flags),
    );

  askOptions(remoteCommand(program, 'run', 'run a command, with a permit for it only'))
    .description(
      'Asks for an approval of exactly this command in this directory, waits, and runs\nit once, without a shell. Its output and exit code are its own; how it ended is\nreported. Ctrl-C while it waits takes the request back. PERMITRY_KEY is not\nhanded to it. With --json what is said of the permit is JSON, on stderr.',
    )
    .usage('[options] -- <command> [args...]')
    .argument('<command...>', 'and its arguments')
    .option('--action <name>', 'the name to ask under', 'command.run')
    .option('--params <json>', "beside argv and cwd: '{…}' or @FILE")
    .passThroughOptions()
    .addHelpText(
      'after',
      `${examples('permitry run -- terraform apply plan.out')}
Exit codes: the command's own once it runs. Before: 3 denied; 4 expired; 5 still
pending when the wait was over; 127 no such command; 126 it cannot be started;
1 refused for another reason; 2 usage.
`,
    )
    .action(async (argv: string[], flags: RunFlags) => (await import('../actions/run.ts')).run(argv, flags));

  remoteCommand(program, 'verify', 'whether a permit allows an action now')
    .argument('[file]', 'that holds the permit; - for stdin', '-')
    .requiredOption('--action <name>', 'what is about to run')
    .option('--params <json>', "with what: '{…}', @FILE or - for stdin")
    .option('--consume', 'use it: whoever is told valid may run it, once')
    .option('--offline', 'without asking the gate; nobody knows then if it was used')
    .option('--jwks <file>', 'offline: keys saved from /.well-known/jwks.json')
    .option('--issuer <url>', 'offline: the gate')
    .option('--audience <id>', 'offline: the project')
    .option('--accept-test-permits', 'offline: permits of a project in test mode as well')
    .addHelpText(
      'after',
      examples(
        'permitry verify permit.jwt --action deploy --params @params.json --consume',
        'permitry verify - --action deploy --offline --issuer https://g.example \\\n      --audience prj_01hzy8 < permit.jwt',
      ),
    )
    .action(async (file: string, flags: VerifyFlags) =>
      (await import('../actions/verify.ts')).verify(file, flags),
    );
}

function askOptions(command: Command): Command {
  return command
    .option('--wait <time>', 'so long at most; 0s does not wait', parseDuration(0, MONTH_SECONDS), 300)
    .option('--approvers <names>', 'people, groups or role:…, with commas', (text) =>
      text.split(',').map((name) => name.trim()),
    )
    .option('--min-approvals <n>', 'of so many different people', wholeNumber(1, 20))
    .option('--expires-in <time>', 'nobody can approve it after so long', parseDuration(1, MONTH_SECONDS))
    .option('--reason <text>', 'shown to approvers as your words')
    .option('--metadata <json>', 'shown to approvers as well')
    .addOption(new Option('--risk-tier <tier>', 'at least this').choices(RISK_TIERS))
    .addOption(new Option('--proof-tier <tier>', 'at least this').choices(PROOF_TIERS))
    .option('--source <name>', 'who asks, for keys of services')
    .addOption(new Option('--source-type <type>').choices(SOURCE_TYPES));
}
