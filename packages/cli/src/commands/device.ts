import { hostname } from 'node:os';
import { type Command, Option } from 'commander';
import { refused, usage } from '../command-failure.ts';
import { examples, jsonOption, remoteCommand } from '../command-options.ts';
import { askNewPassphrase } from '../device/ask-passphrase.ts';
import { type KeyFile, keyPath, listKeyFiles, removeKeyFile, writeKeyFile } from '../device/key-files.ts';
import { makeKey } from '../device/make-key.ts';
import { proveWithDevice } from '../device/prove-with-device.ts';
import { confirm } from '../input/ask.ts';
import { readReviewedIntent } from '../intents/reviewed-intent.ts';
import { printJson, printLine, printTable } from '../printing/print.ts';
import { paint, sayVisibly } from '../printing/say.ts';
import { type ConnectionFlags, getBaseUrl, openClient, warnOfPlainHttp } from '../profile/open-client.ts';
import { type PairedKey, startPairing, waitForPairing } from '../profile/pair.ts';
import { tellPairing } from '../profile/tell-pairing.ts';

export function addDeviceCommands(program: Command): void {
  const device = program
    .command('device')
    .summary('a key on this machine that proves who decides')
    .description(
      'Device keys: a key in a file, under a passphrase. Where a request asks for one,\npermitry approve asks for the passphrase and signs exactly what it showed.',
    )
    .addHelpText('after', examples('permitry device enroll', 'permitry device list'));

  remoteCommand(device, 'enroll', 'make a key, and confirm in the browser that it is yours')
    .description(
      'Makes a key under a passphrase that you type here, and shows a link, a code and\nits fingerprint. It counts once you confirm them in the browser.',
    )
    .argument('[url]', 'the gate; else as --url')
    .option('--name <name>', 'what the key is called on your account page')
    .addHelpText('after', examples('permitry device enroll https://gate.example.org'))
    .action(enroll);

  remoteCommand(device, 'prove', 'sign one decision, and print the proof session')
    .description(
      'Shows the request, asks for the passphrase, and prints the id of the proof\nsession that your decision then names as proof_session_id. permitry approve does\nall that by itself.',
    )
    .argument('<intent>', 'int_…')
    .addOption(
      new Option('--decision <decision>', 'what is to be decided')
        .choices(['approve', 'deny'])
        .default('approve'),
    )
    .addHelpText('after', examples('permitry device prove int_01kaftx2q8n5m9y0a3v7c1d4ez'))
    .action(prove);

  device
    .command('list')
    .summary('the keys on this machine')
    .description('The keys on this machine. What counts at a gate, its account page says.')
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry device list --json'))
    .action(list);

  device
    .command('remove')
    .summary('delete a key from this machine')
    .description('Deletes a key from this machine. Remove it on the account page of the gate as well.')
    .argument('<name|fingerprint>')
    .option('--yes', 'without asking')
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry device remove laptop-7'))
    .action(remove);
}

async function enroll(url: string | undefined, flags: ConnectionFlags & { name?: string }): Promise<void> {
  const gate = getBaseUrl(url === undefined ? flags : { ...flags, url });
  warnOfPlainHttp(gate, flags.json === true);
  const name = flags.name ?? hostname().slice(0, 100);
  const made = await makeKey(await askNewPassphrase(), { gate, name });
  const pairing = await startPairing(gate, { name, rights: [], publicKey: made.public_key });
  tellPairing(pairing, flags, made.key_id);
  const answer = await waitForPairing<PairedKey>(gate, pairing);
  if (answer.status === 'denied') throw refused('The key was refused in the browser.');
  if (answer.status === 'expired') throw refused('Nobody confirmed the key in time. Try again.');
  const file = { ...made, email: answer.email };
  const path = writeKeyFile(file);
  if (flags.json) return printLine({ status: 'approved', ...shown(file), file: path });
  process.stdout.write(
    `${paint('green', 'Enrolled.')} With its passphrase this key proves that ${sayVisibly(answer.email)} decides.\nIt lies in ${path}\n`,
  );
}

async function prove(
  intentId: string,
  flags: ConnectionFlags & { decision: 'approve' | 'deny' },
): Promise<void> {
  const { describeIntent } = await import('../intents/describe-intent.ts');
  const client = await openClient(flags);
  const intent = await readReviewedIntent(client, intentId);
  process.stderr.write(`${describeIntent(intent, process.stderr)}\n`);
  if (intent.status !== 'pending') {
    throw refused(`It is ${intent.status} already.`, 'conflict');
  }
  const { decision } = flags;
  const id = await proveWithDevice(client, { intent, decision });
  if (flags.json) {
    // The decision that uses the proof must name what was shown here.
    return printJson({
      proof_session_id: id,
      intent_id: intent.id,
      intent_hash: intent.intent_hash,
      decision,
    });
  }
  process.stdout.write(`${id}\n`);
}

function list(flags: { json?: true }): void {
  const files = listKeyFiles();
  if (flags.json) {
    printJson(files.map(shown));
    return;
  }
  printTable(
    files,
    [
      { title: 'NAME', text: ({ name }) => name, shrinks: true },
      { title: 'GATE', text: ({ gate }) => gate, shrinks: true },
      { title: 'OF', text: ({ email }) => email ?? '-', shrinks: true },
      { title: 'FINGERPRINT', text: ({ key_id }) => key_id, shrinks: true },
      { title: 'MADE', text: ({ created_at }) => created_at },
    ],
    'There is no device key on this machine; make one with: permitry device enroll',
  );
}

function shown({ key_id, name, gate, email, created_at }: KeyFile) {
  return { key_id, name, gate, email, created_at };
}

async function remove(which: string, flags: { yes?: true; json?: true }): Promise<void> {
  const found = listKeyFiles().filter(({ key_id, name }) => key_id === which || name === which);
  const [file] = found;
  if (!file) throw refused(`There is no device key ${sayVisibly(which)} on this machine.`, 'not_found');
  if (found.length > 1) throw usage('Several have this name; give the fingerprint of one.');
  const page = `${file.gate}/account/security`;
  const isMeant =
    flags.yes ??
    (await confirm(
      `Delete the device key ${sayVisibly(file.name)} (${keyPath(file.key_id)})?`,
      'Say --yes where there is no terminal.',
    ));
  if (!isMeant) throw refused('Nothing was deleted.');
  removeKeyFile(file.key_id);
  if (flags.json) return printJson({ removed: shown(file), account_page: page });
  process.stdout.write(`Deleted from this machine. The gate takes it until you remove it there: ${page}\n`);
}
