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
import { paint, sayVisibly, shortTime } from '../printing/say.ts';
import { type ConnectionFlags, getBaseUrl, openClient, warnOfPlainHttp } from '../profile/open-client.ts';
import { type PairedKey, startPairing, waitForPairing } from '../profile/pair.ts';
import { tellPairing } from '../profile/tell-pairing.ts';

export function addDeviceCommands(program: Command): void {
  const device = program
    .command('device')
    .summary('manage device keys')
    .description(
      'Manage device keys: key files on this machine that prove who decides. If a request requires one, permitry approve asks for its passphrase and signs exactly what it showed.',
    )
    .addHelpText('after', examples('permitry device enroll', 'permitry device list'));

  remoteCommand(device, 'enroll', 'create a device key and confirm it in the browser')
    .description(
      'Create a device key, protected by a passphrase that you type here. The command shows a link, a code and the fingerprint of the key. The key is valid once you confirm them in the browser.',
    )
    .argument('[url]', 'address of the gate (default: as --url)')
    .option('--name <name>', 'name of the key on your account page (default: the name of this machine)')
    .addHelpText('after', examples('permitry device enroll https://gate.example.org'))
    .action(enroll);

  remoteCommand(device, 'prove', 'sign one decision and print its proof session')
    .description(
      'Show the request, ask for the passphrase, and print the ID of the proof session. Use it if you decide through the API, and pass the ID as proof_session_id. permitry approve and deny do all this themselves.',
    )
    .argument('<id>', 'ID of the request (int_…)')
    .addOption(
      new Option('--decision <decision>', 'the decision to sign')
        .choices(['approve', 'deny'])
        .default('approve'),
    )
    .addHelpText('after', examples('permitry device prove int_01kaftx2q8n5m9y0a3v7c1d4ez'))
    .action(prove);

  device
    .command('list')
    .summary('list the device keys on this machine')
    .description(
      'List the device keys on this machine. Your account page at each gate shows which of them are valid there.',
    )
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry device list --json'))
    .action(list);

  device
    .command('remove')
    .summary('delete a device key from this machine')
    .description(
      'Delete a device key from this machine. The gate accepts the key until you also remove it on your account page there.',
    )
    .argument('<name|fingerprint>')
    .option('--yes', 'do not ask for confirmation')
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
  if (answer.status === 'denied') throw refused('The key was denied in the browser.');
  if (answer.status === 'expired') throw refused('Nobody confirmed the key in time. Run the command again.');
  const file = { ...made, email: answer.email };
  const path = writeKeyFile(file);
  if (flags.json) return printLine({ status: 'approved', ...shown(file), file: path });
  process.stdout.write(
    `${paint('green', 'Enrolled.')} With its passphrase, this key proves that ${sayVisibly(answer.email)} decides.\nThe key file is ${path}\n`,
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
    throw refused(`The request is already ${intent.status}.`, 'conflict');
  }
  const { decision } = flags;
  const id = await proveWithDevice(client, { intent, decision });
  if (flags.json) {
    // The decision that uses the proof must name the hash of the request as shown here.
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
      { title: 'OWNER', text: ({ email }) => email ?? '-', shrinks: true },
      { title: 'FINGERPRINT', text: ({ key_id }) => key_id, shrinks: true },
      { title: 'CREATED', text: ({ created_at }) => shortTime(created_at) },
    ],
    'There is no device key on this machine. Create one with: permitry device enroll',
  );
}

function shown({ key_id, name, gate, email, created_at }: KeyFile) {
  return { key_id, name, gate, email, created_at };
}

async function remove(which: string, flags: { yes?: true; json?: true }): Promise<void> {
  const found = listKeyFiles().filter(({ key_id, name }) => key_id === which || name === which);
  const [file] = found;
  if (!file)
    throw refused(
      `There is no device key ${sayVisibly(which)} on this machine. List them with: permitry device list`,
      'not_found',
    );
  if (found.length > 1) throw usage('Several device keys have this name. Pass the fingerprint of one.');
  const page = `${file.gate}/account/security`;
  const isMeant =
    flags.yes ?? (await confirm(`Delete the device key ${sayVisibly(file.name)} (${keyPath(file.key_id)})?`));
  if (!isMeant) throw refused('Nothing was deleted.');
  removeKeyFile(file.key_id);
  if (flags.json) return printJson({ removed: shown(file), account_page: page });
  process.stdout.write(`Deleted from this machine. The gate accepts it until you remove it there: ${page}\n`);
}
