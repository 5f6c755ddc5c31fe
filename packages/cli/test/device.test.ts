/** Device keys at a real terminal: created, confirmed in the browser, and used to decide. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { isDeviceEvidence, readApproverKeys, verifyApprovalEvidence } from '@permitry/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addDeviceKey } from '../../server/src/people/device-keys/add-device-key.ts';
import { signedIn } from '../../server/test/fixtures/signed-in.ts';
import { makeKey } from '../src/device/make-key.ts';
import {
  BIN,
  cleanEnvironment,
  type Finished,
  finished,
  freshDirectory,
  spawnPermitry,
} from './fixtures/permitry.ts';
import { type ServedGate, serveGate } from './fixtures/served-gate.ts';

const hasTerminal = (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, 'script')));
const PASSPHRASE = 'correct horse battery';

interface Terminal {
  /** Waits until this text appears after the previous one. Returns all the text up to it. */
  shows(text: string | RegExp): Promise<string>;
  type(line: string): void;
  /** Types text without an end of line. */
  press(keys: string): void;
  ended: Promise<Finished>;
}

/** util-linux' `script` gives the command a pseudo terminal. */
function atTerminal(args: readonly string[], env: Record<string, string>, before = ''): Terminal {
  const command = ['exec', process.execPath, BIN, ...args].map((word) =>
    word === 'exec' ? word : `'${word}'`,
  );
  const child = spawn('script', ['-qec', before + command.join(' '), '/dev/null'], {
    env: cleanEnvironment({ TERM: 'xterm', ...env }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  let from = 0;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = finished(child);
  return {
    ended,
    type: (line) => void child.stdin.write(`${line}\r`),
    press: (keys) => void child.stdin.write(keys),
    async shows(wanted) {
      for (;;) {
        const shown = stripVTControlCharacters(text.slice(from)).replaceAll('\r', '');
        if (typeof wanted === 'string' ? shown.includes(wanted) : wanted.test(shown)) {
          from = text.length;
          return shown;
        }
        const over = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20, null))]);
        if (over !== null && !stripVTControlCharacters(text.slice(from)).includes(String(wanted)))
          throw new Error(`it ended before ${wanted}: ${stripVTControlCharacters(text)}`);
      }
    },
  };
}

interface Ann {
  served: ServedGate;
  config: string;
  env: Record<string, string>;
  /** Her access token, which may decide. */
  token: string;
  headers: Record<string, string>;
}

async function anAnn(): Promise<Ann> {
  const served = await serveGate();
  const token = await served.addPerson('ann@example.org', 'approver');
  const user = await served.gate.storage.read.findUserByEmail('ann@example.org');
  // As if she had just signed in with a link, which confirms that it is her.
  const browser = await signedIn(served.gate, String(user?.id), ['link']);
  const config = freshDirectory();
  const env = { XDG_CONFIG_HOME: config, PERMITRY_URL: served.url, PERMITRY_KEY: token };
  return { served, config, env, token, headers: { ...browser.headers, 'content-type': 'application/json' } };
}

async function post<T>({ served, headers }: Ann, path: string, body: object): Promise<T> {
  const answer = await fetch(`${served.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function confirmAtPage(ann: Ann, user_code: string): Promise<{ key_id: string }> {
  const look = await post<{ id: string; key_id: string }>(ann, '/console/pairings/look', { user_code });
  await post(ann, '/console/pairings/confirm', { id: look.id, user_code, decision: 'approve' });
  return look;
}

async function enroll(ann: Ann): Promise<string> {
  const terminal = atTerminal(['device', 'enroll', '--name', 'laptop-7'], ann.env);
  await terminal.shows('Choose a passphrase for this key');
  terminal.type(PASSPHRASE);
  await terminal.shows('Repeat the passphrase');
  terminal.type(PASSPHRASE);
  const shown = await terminal.shows('Waiting');
  const [, code = ''] = /the code is ([A-Z]{4}-[A-Z]{4})/.exec(shown) ?? [];
  expect(shown).not.toContain(PASSPHRASE);
  const { key_id } = await confirmAtPage(ann, code);
  // The terminal and the page show the same fingerprint.
  expect(shown.replaceAll(/\s/g, '')).toContain(key_id);
  const { code: exit, stdout } = await terminal.ended;
  expect(stripVTControlCharacters(stdout)).toContain('Enrolled.');
  expect(exit).toBe(0);
  return key_id;
}

/** Enrols a key without the page and the wait. */
async function alreadyEnrolled(ann: Ann): Promise<string> {
  const { gate } = ann.served;
  const made = await makeKey(PASSPHRASE, { gate: ann.served.url, name: 'laptop-7' });
  const user = await gate.storage.read.findUserByEmail('ann@example.org');
  if (!user) throw new Error('ann is gone');
  const key = { id: gate.ids.next('dvk'), jwk: made.public_key, name: made.name, address: null };
  await gate.storage.transaction((tx) => addDeviceKey(gate, tx, user, key));
  mkdirSync(folderOf(ann), { recursive: true });
  const path = join(folderOf(ann), `${made.key_id}.json`);
  writeFileSync(path, JSON.stringify({ ...made, email: user.email }), { mode: 0o600 });
  return made.key_id;
}

const folderOf = ({ config }: Ann) => join(config, 'permitry', 'device-keys');

describe.skipIf(!hasTerminal)('a device key', () => {
  it('is created, confirmed in the browser, approves a request, and is verified offline', async () => {
    const ann = await anAnn();
    const keyId = await enroll(ann);
    const path = join(folderOf(ann), `${keyId}.json`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      name: 'laptop-7',
      email: 'ann@example.org',
      gate: ann.served.url,
    });
    expect(text).not.toMatch(/"d"|PRIVATE/);
    const listed = await spawnPermitry(['device', 'list', '--json'], { env: ann.env });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ key_id: keyId, name: 'laptop-7' }]);

    const id = await ann.served.ask('payments.refund', { params: { amount: 5 }, proof_tier: 'device' });
    const terminal = atTerminal(['approve', id, '--yes'], ann.env);
    await terminal.shows('Passphrase of the device key laptop-7');
    terminal.type('not the passphrase');
    await terminal.shows('Wrong passphrase.');
    terminal.type(PASSPHRASE);
    expect((await terminal.ended).code).toBe(0);

    const intent = await ann.served.get<{
      status: string;
      receipt_v2: Parameters<typeof verifyApprovalEvidence>[0] & { approvals: { device: unknown }[] };
    }>(ann.served.first.agent_key, `/api/intents/${id}`);
    expect(intent.status).toBe('approved');
    expect(isDeviceEvidence(intent.receipt_v2.approvals[0]?.device)).toBe(true);
    const exported = await fetch(`${ann.served.url}/console/account/passkeys/export`, {
      headers: ann.headers,
    });
    const keyFile = await exported.text();
    const approverKeys = readApproverKeys([JSON.parse(keyFile)]);
    expect(await verifyApprovalEvidence(intent.receipt_v2, { approverKeys })).toMatchObject({ ok: true });

    const [receiptFile, approvers] = [join(ann.config, 'receipt.json'), join(ann.config, 'keys.json')];
    writeFileSync(receiptFile, JSON.stringify(intent.receipt_v2));
    writeFileSync(approvers, keyFile);
    const verified = await spawnPermitry(['receipt', 'verify', receiptFile, '--approvers', approvers]);
    expect([verified.code, verified.stderr]).toEqual([0, '']);
    expect(verified.stdout).toContain('ann@example.org');
  });

  it('proves one decision that is then made through the API', async () => {
    const ann = await anAnn();
    await alreadyEnrolled(ann);
    const id = await ann.served.ask('payments.refund', { params: { amount: 5 }, proof_tier: 'device' });
    const terminal = atTerminal(['device', 'prove', id, '--json'], ann.env);
    await terminal.shows('Passphrase');
    terminal.type(PASSPHRASE);
    const { stdout } = await terminal.ended;
    const [proof_session_id] = /prf_[0-9a-z]{26}/.exec(stdout) ?? [];
    const [intent_hash] = /sha256:[0-9a-f]{64}(?=")/.exec(stdout) ?? [];
    const approved = await ann.served.post<{ status: string }>(ann.token, `/v1/intents/${id}/approve`, {
      proof_session_id,
      intent_hash,
    });
    expect(approved.status).toBe('approved');
  });

  it('signs nothing after three wrong passphrases, or with a changed file', async () => {
    const ann = await anAnn();
    const path = join(folderOf(ann), `${await alreadyEnrolled(ann)}.json`);
    const id = await ann.served.ask('payments.refund', { params: { amount: 5 }, proof_tier: 'device' });
    // The name was changed and the passphrase is right: the passphrase also protects the text beside the key.
    const file = JSON.parse(readFileSync(path, 'utf8')) as { name: string };
    writeFileSync(path, JSON.stringify({ ...file, name: 'desk' }), { mode: 0o600 });
    const terminal = atTerminal(['approve', id, '--yes'], ann.env);
    for (let n = 0; n < 3; n += 1) {
      await terminal.shows('Passphrase of the device key desk');
      terminal.type(PASSPHRASE);
    }
    expect((await terminal.ended).code).toBe(1);
    const { status } = await ann.served.get<{ status: string }>(
      ann.served.first.agent_key,
      `/v1/intents/${id}`,
    );
    expect(status).toBe('pending');
  });

  it('accepts text that was typed before the question, and does not show it', async () => {
    const ann = await anAnn();
    await alreadyEnrolled(ann);
    const id = await ann.served.ask('payments.refund', { params: { amount: 5 }, proof_tier: 'device' });
    const terminal = atTerminal(['approve', id, '--yes'], ann.env);
    await terminal.shows('Passphrase of the device key laptop-7');
    // Types both passphrases in one write: the second arrives while the first is checked.
    terminal.type(`not the passphrase\r${PASSPHRASE}`);
    const { code, stdout } = await terminal.ended;
    expect(stdout.replaceAll(/\s/g, '')).not.toContain(PASSPHRASE.replaceAll(' ', ''));
    expect([code, stdout]).toEqual([0, expect.stringContaining('Wrong passphrase.')]);
  });

  it('does not show a passphrase after the command was suspended and resumed', async () => {
    const ann = await anAnn();
    await alreadyEnrolled(ann);
    const id = await ann.served.ask('payments.refund', { params: { amount: 5 }, proof_tier: 'device' });
    const terminal = atTerminal(['approve', id, '--yes'], ann.env, 'echo "is $$ at $(tty)"; ');
    const told = await terminal.shows('Passphrase of the device key laptop-7');
    const [, pid = '', tty = ''] = /is (\d+) at (\S+)/.exec(told) ?? [];
    // Resets the terminal, as a shell does when it resumes a command.
    execFileSync('stty', ['-F', tty, 'sane']);
    process.kill(Number(pid), 'SIGCONT');
    await expect.poll(() => execFileSync('stty', ['-F', tty, '-a'], { encoding: 'utf8' })).toMatch(/ -echo /);
    terminal.type(PASSPHRASE);
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(0);
    expect(stdout.replaceAll(/\s/g, '')).not.toContain(PASSPHRASE.replaceAll(' ', ''));
  });

  it('stops at Ctrl-C or Ctrl-D, also while a passphrase is checked', async () => {
    const ann = await anAnn();
    await alreadyEnrolled(ann);
    const id = await ann.served.ask('payments.refund', { params: { amount: 5 }, proof_tier: 'device' });
    for (const [typed, exit] of [
      ['\u0003', 1],
      ['\u0004', 1],
      ['\u001a\u0003', 1],
      [`${PASSPHRASE}\r\u0003`, 130],
    ] as const) {
      const terminal = atTerminal(['approve', id, '--yes'], ann.env);
      await terminal.shows('Passphrase of the device key laptop-7');
      terminal.press(typed);
      expect((await terminal.ended).code).toBe(exit);
    }
    const { status } = await ann.served.get<{ status: string }>(
      ann.served.first.agent_key,
      `/v1/intents/${id}`,
    );
    expect(status).toBe('pending');
  });

  it('is not created with a short passphrase or two different ones, and the gate gets no request', async () => {
    const ann = await anAnn();
    const short = atTerminal(['device', 'enroll'], ann.env);
    await short.shows('Choose a passphrase');
    short.type('short');
    expect((await short.ended).code).toBe(1);
    const different = atTerminal(['device', 'enroll'], ann.env);
    await different.shows('Choose a passphrase');
    different.type(PASSPHRASE);
    await different.shows('Repeat the passphrase');
    different.type(`${PASSPHRASE}!`);
    expect((await different.ended).code).toBe(1);
    expect(existsSync(folderOf(ann))).toBe(false);
  });
});

describe('a device key without a terminal', () => {
  it('takes no passphrase from a pipe or anywhere else', async () => {
    const ann = await anAnn();
    const env = { ...ann.env, PERMITRY_DEVICE_PASSPHRASE: PASSPHRASE };
    const stdin = `${PASSPHRASE}\n${PASSPHRASE}\n`;
    const { code, stderr } = await spawnPermitry(['device', 'enroll'], { env, stdin });
    expect([code, stderr]).toEqual([2, expect.stringContaining('typed at a terminal')]);
    expect(existsSync(folderOf(ann))).toBe(false);
  });

  it('explains how to create a key on a machine without one', async () => {
    const ann = await anAnn();
    const id = await ann.served.ask('payments.refund', { params: { amount: 5 }, proof_tier: 'device' });
    const { code, stdout } = await spawnPermitry(['approve', id, '--yes', '--json'], {
      env: { ...ann.env, PERMITRY_APPROVE_WITHOUT_TERMINAL: 'true' },
    });
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      [{ id, error: { code: 'proof_required', message: expect.stringContaining('permitry device enroll') } }],
    ]);
    const listed = await spawnPermitry(['device', 'list'], { env: ann.env });
    expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining('permitry device enroll')]);
  });

  it('is deleted from this machine only', async () => {
    const ann = await anAnn();
    const missing = await spawnPermitry(['device', 'remove', 'laptop-7', '--yes'], { env: ann.env });
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no device key')]);
  });
});

it.skipIf(!hasTerminal)(
  'a device key that others can read is not used, and a removed one is gone',
  async () => {
    const ann = await anAnn();
    await alreadyEnrolled(ann);
    const [name = ''] = readdirSync(folderOf(ann));
    const path = join(folderOf(ann), name);
    chmodSync(path, 0o644);
    const refused = await spawnPermitry(['device', 'list'], { env: ann.env });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('chmod 600')]);
    chmodSync(path, 0o600);
    const removed = await spawnPermitry(['device', 'remove', 'laptop-7', '--yes', '--json'], {
      env: ann.env,
    });
    expect(JSON.parse(removed.stdout)).toMatchObject({
      removed: { name: 'laptop-7' },
      account_page: `${ann.served.url}/account/security`,
    });
    expect(readdirSync(folderOf(ann))).toEqual([]);
  },
);
