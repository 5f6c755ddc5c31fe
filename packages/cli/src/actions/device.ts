import { hostname } from 'node:os';
import { CommandFailure } from '../command-failure.ts';
import { askNewPassphrase } from '../device/ask-passphrase.ts';
import { type KeyFile, keyPath, listKeyFiles, removeKeyFile, writeKeyFile } from '../device/key-files.ts';
import { makeKey } from '../device/make-key.ts';
import { proveWithDevice } from '../device/prove-with-device.ts';
import { confirm } from '../input/ask.ts';
import { describeIntent } from '../intents/describe-intent.ts';
import { readReviewedIntent } from '../intents/reviewed-intent.ts';
import { paint } from '../printing/paint.ts';
import { printJson } from '../printing/print-json.ts';
import { printLine } from '../printing/print-line.ts';
import { printTable } from '../printing/print-table.ts';
import { sayVisibly } from '../printing/say-visibly.ts';
import { openClient } from '../profile/open-client.ts';
import { type PairedKey, startPairing, waitForPairing } from '../profile/pair.ts';
import { type ConnectionFlags, getBaseUrl, warnOfPlainHttp } from '../profile/read-profile.ts';
import { tellPairing } from '../profile/tell-pairing.ts';

export async function enroll(
  url: string | undefined,
  flags: ConnectionFlags & { name?: string },
): Promise<void> {
  const gate = getBaseUrl(url === undefined ? flags : { ...flags, url });
  warnOfPlainHttp(gate, flags.json === true);
  const name = flags.name ?? hostname().slice(0, 100);
  const made = await makeKey(await askNewPassphrase(), { gate, name });
  const pairing = await startPairing(gate, { name, rights: [], publicKey: made.public_key });
  tellPairing(pairing, flags, made.key_id);
  const answer = await waitForPairing<PairedKey>(gate, pairing);
  if (answer.status === 'denied') throw new CommandFailure(1, 'The key was refused in the browser.');
  if (answer.status === 'expired')
    throw new CommandFailure(1, 'Nobody confirmed the key in time. Try again.');
  const file = { ...made, email: answer.email };
  const path = writeKeyFile(file);
  if (flags.json) return printLine({ status: 'approved', ...shown(file), file: path });
  process.stdout.write(
    `${paint('green', 'Enrolled.')} With its passphrase this key proves that ${sayVisibly(answer.email)} decides.\nIt lies in ${path}\n`,
  );
}

export async function prove(
  intentId: string,
  flags: ConnectionFlags & { decision: 'approve' | 'deny' },
): Promise<void> {
  const client = openClient(flags);
  const intent = await readReviewedIntent(client, intentId);
  process.stderr.write(`${describeIntent(intent, process.stderr)}\n`);
  if (intent.status !== 'pending') {
    throw new CommandFailure(1, `It is ${intent.status} already.`, { code: 'conflict' });
  }
  const { decision } = flags;
  const id = await proveWithDevice(client, { intent, decision });
  if (flags.json) {
    // Who decides with the proof names what was shown here.
    return printJson({
      proof_session_id: id,
      intent_id: intent.id,
      intent_hash: intent.intent_hash,
      decision,
    });
  }
  process.stdout.write(`${id}\n`);
}

export function list(flags: { json?: true }): void {
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

export async function remove(which: string, flags: { yes?: true; json?: true }): Promise<void> {
  const found = listKeyFiles().filter(({ key_id, name }) => key_id === which || name === which);
  const [file] = found;
  if (!file)
    throw new CommandFailure(1, `There is no device key ${sayVisibly(which)} on this machine.`, {
      code: 'not_found',
    });
  if (found.length > 1) throw new CommandFailure(2, 'Several have this name; give the fingerprint of one.');
  const page = `${file.gate}/account/security`;
  const isMeant =
    flags.yes ??
    (await confirm(
      `Delete the device key ${sayVisibly(file.name)} (${keyPath(file.key_id)})?`,
      'Say --yes where there is no terminal.',
    ));
  if (!isMeant) throw new CommandFailure(1, 'Nothing was deleted.');
  removeKeyFile(file.key_id);
  if (flags.json) return printJson({ removed: shown(file), account_page: page });
  process.stdout.write(`Deleted from this machine. The gate takes it until you remove it there: ${page}\n`);
}
