/** Keys in a PKCS#11 token. Uses a real module, SoftHSM2, behind the same port as keys in files. */
import { type ChildProcess, fork } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compactVerify, createLocalJWKSet } from 'jose';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { authenticateKey } from '../../server/src/gate/access/authenticate-key.ts';
import { decideIntent } from '../../server/src/gate/intents/decide.ts';
import { submitIntent } from '../../server/src/gate/intents/submit.ts';
import { verifyPermit } from '../../server/src/gate/permits/verify.ts';
import { KeyEncryption } from '../../server/src/keys/key-encryption.ts';
import { KeyFolder } from '../../server/src/keys/key-folder.ts';
import { KEYS_IN_CLEAR_FILES, type SigningKeySettings } from '../../server/src/keys/key-settings.ts';
import { toRecord } from '../../server/src/keys/key-table.ts';
import { keptUnder } from '../../server/src/keys/private-parts.ts';
import { openSigningKeys, type SigningKeys } from '../../server/src/keys/signing-keys.ts';
import { openGate } from '../../server/src/open-gate.ts';
import { checkKeys } from '../../server/src/ops/check/check-keys.ts';
import { initialiseGate } from '../../server/src/people/initialise-gate.ts';
import { FakeClock } from '../../server/test/fixtures/fake-clock.ts';
import { KEK, openKeyTable, putRecord } from '../../server/test/keys/key-stores.ts';
import { CKA, CLASS } from '../src/cryptoki.ts';
import { TokenSession } from '../src/token-session.ts';
import { findSoftHsm, LABEL, openSoftHsm, PIN, type SoftHsm } from './soft-hsm.ts';

const CKA_VALUE = 0x11;
const module = findSoftHsm();

let dataDir = '';
let clock = new FakeClock();
let hsm: SoftHsm;
const opened: SigningKeys[] = [];
beforeEach(() => {
  if (module === null) return;
  dataDir = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
  clock = new FakeClock();
  hsm = openSoftHsm(module);
});
afterEach(async () => {
  if (module === null) return;
  for (const signer of opened.splice(0)) await signer.close();
  hsm.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

async function open(settings: SigningKeySettings = hsm.settings): Promise<SigningKeys> {
  const signer = await openSigningKeys({ store: new KeyFolder(dataDir), clock, settings });
  opened.push(signer);
  return signer;
}

async function refusal(settings: SigningKeySettings): Promise<string> {
  return open(settings).then(
    () => 'it was opened',
    (error: Error) => error.message,
  );
}

/** Signs with the current key, and verifies with jose against the published keys. */
async function signsWell(signer: SigningKeys): Promise<boolean> {
  const { kid } = signer.current;
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${encode({ alg: 'ES256', kid })}.${encode({ n: Math.random() })}`;
  const jws = `${input}.${await signer.sign(kid, input)}`;
  await compactVerify(jws, createLocalJWKSet({ keys: signer.publicKeys().map((key) => ({ ...key })) }));
  return signer.verify(kid, input, jws.split('.')[2] ?? '');
}

function keyFiles(): Record<string, unknown>[] {
  const dir = join(dataDir, 'keys');
  return readdirSync(dir).map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')));
}

/** What the token contains, as another client sees it. */
function inspect<T>(look: (cryptoki: ReturnType<SoftHsm['cryptoki']>, session: bigint) => T): T {
  const cryptoki = hsm.cryptoki();
  cryptoki.initialize();
  const slot = cryptoki.tokens().find(({ label }) => label === LABEL)?.slot ?? 0n;
  const session = cryptoki.openSession(slot, { readWrite: false });
  try {
    cryptoki.login(session, Buffer.from(PIN));
    return look(cryptoki, session);
  } finally {
    cryptoki.closeSession(session);
  }
}

function privateKeysInToken(): number {
  return inspect(
    (cryptoki, session) => cryptoki.findObjects(session, [[CKA.class, CLASS.privateKey]]).length,
  );
}

describe.skipIf(module === null)('with keys in a PKCS#11 token', () => {
  test('the check opens the keys, asks for the PIN once, and creates none', async () => {
    const { current } = await open();
    // A process that is already logged in is not asked for a PIN again.
    await opened.pop()?.close();
    const before = [keyFiles(), privateKeysInToken()];
    expect(await checkKeys({ directory: dataDir }, hsm.settings)).toEqual([
      { part: 'keys', state: 'ok', message: `${current.kid} signs; all keys can be opened.` },
    ]);
    expect(await checkKeys({ directory: dataDir }, hsm.withPin('00009999'))).toEqual([
      { part: 'keys', state: 'problem', message: expect.stringContaining('PIN') },
    ]);
    expect([keyFiles(), privateKeysInToken()]).toEqual(before);
  });

  test('keys are created in the token, cannot leave it, and sign what jose verifies', async () => {
    const signer = await open();
    for (let n = 0; n < 50; n += 1) expect(await signsWell(signer)).toBe(true);
    expect(signer.keptIn(signer.current.kid)).toBe('token');
    expect(signer.complaints()).toEqual([]);
    for (const file of keyFiles()) {
      expect(file).not.toHaveProperty('d');
      expect(file).not.toHaveProperty('encrypted');
      expect(file.token).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), label: 'permitry' });
    }
    inspect((cryptoki, session) => {
      const keys = cryptoki.findObjects(session, [[CKA.class, CLASS.privateKey]]);
      expect(keys).toHaveLength(2);
      for (const key of keys) {
        const attribute = (type: number) => cryptoki.findAttribute(session, key, type)?.toString('hex');
        expect(attribute(CKA.sensitive)).toBe('01');
        expect(attribute(CKA.extractable)).toBe('00');
        expect(attribute(CKA.private)).toBe('01');
        expect(attribute(CKA_VALUE)).toBeUndefined();
      }
    });
  });

  test('many texts signed at once each get their own signature', async () => {
    const signer = await open();
    const { kid } = signer.current;
    const inputs = Array.from({ length: 200 }, (_, n) => `text ${n}`);
    const signatures = await Promise.all(inputs.map((input) => signer.sign(kid, input)));
    for (const [n, input] of inputs.entries()) {
      expect(await signer.verify(kid, input, signatures[n] ?? '')).toBe(true);
      expect(await signer.verify(kid, input, signatures[n + 1] ?? '')).toBe(false);
    }
  });

  test('the next process finds the keys, and one process takes up the rotation of another', async () => {
    const server = await open();
    const command = await open();
    expect(command.current).toEqual(server.current);
    clock.advance(3600);
    const kid = await command.rotate('operator');
    // Until the server reads the change, it uses the key it knows.
    expect(await signsWell(server)).toBe(true);
    await server.reload();
    expect(server.current.kid).toBe(kid);
    expect(await signsWell(server)).toBe(true);
  });

  test('two gates that rotate at once create one key, and leave no spare one in the token', async () => {
    await open();
    // Rotates in separate processes, like gates: SoftHSM locks its files against other processes, not between threads.
    const gates = [await startRotation(), await startRotation()];
    for (const gate of gates) gate.send('rotate');
    const rotations = await Promise.all(gates.map(answerOf));
    expect(rotations.filter((kid) => kid !== 'not due')).toHaveLength(1);
    expect(privateKeysInToken()).toBe(3);
  });

  test('retired keys are destroyed when nobody needs them, compromised keys at once', async () => {
    const signer = await open();
    clock.advance(3600);
    await signer.rotate('operator');
    expect(privateKeysInToken()).toBe(3);
    clock.advance(3600);
    await signer.rotate('operator');
    expect(privateKeysInToken()).toBe(3);
    await signer.markCompromised();
    expect(privateKeysInToken()).toBe(3);
    expect(keyFiles().filter(({ state, token }) => state === 'compromised' && token !== undefined)).toEqual(
      [],
    );
    expect(await signsWell(signer)).toBe(true);
  });

  test('a wrong PIN keeps the gate from starting, and is not shown', async () => {
    const message = await refusal(hsm.withPin('00009999'));
    expect(message).toContain('CKR_PIN_INCORRECT');
    expect(message).not.toContain('00009999');
    expect(readdirSync(join(dataDir, 'keys'))).toEqual([]);
  });

  test('a wrong PIN is presented once, however many signatures are requested', () => {
    let logins = 0;
    const cryptoki = hsm.cryptoki();
    const login = cryptoki.login.bind(cryptoki);
    cryptoki.login = (...args) => {
      logins += 1;
      login(...args);
    };
    const session = new TokenSession(cryptoki, LABEL, '00009999');
    for (let n = 0; n < 5; n += 1) expect(() => session.generate()).toThrow('CKR_PIN_INCORRECT');
    expect(logins).toBe(1);
  });

  test('a missing or invalid module keeps the gate from starting', async () => {
    const { pkcs11 } = hsm.settings;
    if (!pkcs11) throw new Error('the settings name a module');
    for (const path of ['/nowhere/module.so', '/etc/passwd']) {
      expect(await refusal({ ...hsm.settings, pkcs11: { ...pkcs11, module: path } })).toContain(path);
    }
  });

  test('the gate uses no token other than the named one', async () => {
    const { pkcs11 } = hsm.settings;
    if (!pkcs11) throw new Error('the settings name a module');
    const message = await refusal({ ...hsm.settings, pkcs11: { ...pkcs11, tokenLabel: 'another' } });
    expect(message).toContain(`"${LABEL}"`);
  });

  test('the gate does not start without the module, and says what to set', async () => {
    await open();
    expect(await refusal(KEYS_IN_CLEAR_FILES)).toContain('PERMITRY_PKCS11_MODULE');
  });

  test('a replacement token without the keys keeps the gate from starting', async () => {
    await open();
    for (const signer of opened.splice(0)) await signer.close();
    hsm.remove();
    hsm = openSoftHsm(String(module));
    expect(await refusal(hsm.settings)).toContain('there is no private key with the id');
  });

  describe('after the connection is lost', () => {
    test.each<[string, (hsm: SoftHsm) => void]>([
      ['all sessions were closed', (hsm) => closeAllSessions(hsm)],
      ['another program logged out', (hsm) => logOut(hsm)],
      ['the module was restarted', (hsm) => void hsm.raw('C_Finalize', ['void *'])(null)],
    ])('the next signature opens it again (%s)', async (_what, lose) => {
      const signer = await open();
      for (let n = 0; n < 3; n += 1) {
        lose(hsm);
        expect(await signsWell(signer)).toBe(true);
      }
      lose(hsm);
      clock.advance(3600);
      await signer.rotate('operator');
      expect(await signsWell(signer)).toBe(true);
      expect(signer.stats().failures).toBe(0);
    });

    test('the gate refuses to sign while the token is gone, and signs again when it is back', async () => {
      const signer = await open();
      const { kid } = signer.current;
      const plugIn = hsm.unplug();
      for (let n = 0; n < 3; n += 1) {
        await expect(signer.sign(kid, 'a.b')).rejects.toMatchObject({ code: 'service_unavailable' });
      }
      await expect(signer.assertCanSign()).rejects.toMatchObject({ code: 'service_unavailable' });
      // A new key cannot be made either. The old keys do not change.
      clock.advance(3600);
      await expect(signer.rotate('operator')).rejects.toThrow('there is no such token');
      expect(signer.current.kid).toBe(kid);
      expect(signer.stats().failures).toBe(4);

      plugIn();
      expect(await signsWell(signer)).toBe(true);
      await signer.rotate('operator');
      expect(signer.current.kid).not.toBe(kid);
      expect(await signsWell(signer)).toBe(true);
    });
  });

  test('a gate with keys in files moves to the token by rotating, and verifiers know its next key already', async () => {
    const before = await open(KEYS_IN_CLEAR_FILES);
    const saved = before.publicKeys();
    const signer = await open();
    expect(signer.current).toEqual(before.current);
    expect(signer.complaints()).toHaveLength(2);
    clock.advance(3600);
    await signer.rotate('operator');
    // The next key was still in a file, and in the key set that verifiers have.
    expect(saved.map(({ kid }) => kid)).toContain(signer.current.kid);
    clock.advance(3600);
    await signer.rotate('operator');
    expect(signer.keptIn(signer.current.kid)).toBe('token');
    expect(signer.complaints()).toEqual([]);
    expect(await signsWell(signer)).toBe(true);
    for (const file of keyFiles()) expect(file).not.toHaveProperty('d');
  });

  test('a database holds references to keys that sign and rotate in the token', async () => {
    const before = await open();
    await before.close();
    const room = await openKeyTable();
    onTestFinished(() => room.close());
    const encryption = new KeyEncryption(KEK, null);
    for (const key of (await new KeyFolder(dataDir).read()).keys) {
      const record = toRecord(await keptUnder(encryption, key), encryption);
      expect(JSON.parse(record.document).token).toEqual(key.token);
      await putRecord(room.storage, record);
    }
    const settings = { ...hsm.settings, keyEncryptionKey: KEK };
    const signer = await openSigningKeys({ store: room.store(), clock, settings });
    onTestFinished(() => signer.close());
    expect(signer.keys()).toEqual(before.keys());
    expect(await signsWell(signer)).toBe(true);
    clock.advance(3600);
    await signer.rotate('operator');
    expect(signer.keptIn(signer.current.kid)).toBe('token');
    expect(await signsWell(signer)).toBe(true);
    expect(privateKeysInToken()).toBe(3);
  });

  test('an imported key is adopted by label or ID, and signs in its turn', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    hsm.importKey(String(privateKey.export({ type: 'pkcs8', format: 'pem' })), 'a1b2c3', 'ceremony');
    const signer = await open();
    clock.advance(1);
    const kid = await signer.adopt({ label: 'ceremony' });
    expect(signer.publicKey(kid)).toMatchObject(publicKey.export({ format: 'jwk' }));
    await expect(signer.adopt({ id: 'a1b2c3' })).rejects.toThrow('already has this key');
    await expect(signer.adopt({ label: 'nobody' })).rejects.toThrow('no such EC private key');
    await expect(signer.adopt({ label: 'permitry' })).rejects.toThrow('more than one');
    for (let n = 0; n < 2; n += 1) {
      clock.advance(3600);
      await signer.rotate('operator');
    }
    expect(signer.current.kid).toBe(kid);
    expect(await signsWell(signer)).toBe(true);
  });

  test('another object with the ID of an imported key is neither used to sign nor destroyed', async () => {
    const pem = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }));
    hsm.importKey(pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey), 'a1b2c3', 'mail');
    hsm.importKey(pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), 'a1b2c3', 'ceremony');
    const signer = await open();
    const kid = await signer.adopt({ label: 'ceremony' });
    await signer.markCompromised([kid]);
    const labels = inspect((cryptoki, session) =>
      cryptoki
        .findObjects(session, [[CKA.id, Buffer.from('a1b2c3', 'hex')]])
        .map((object) => cryptoki.findAttribute(session, object, CKA.label)?.toString()),
    );
    // The two halves of the pair.
    expect(labels).toEqual(['mail', 'mail']);
  });

  test('a whole gate signs its permits with keys in the token', async () => {
    const gate = await openGate({
      database: { directory: dataDir },
      issuer: 'http://localhost:4000',
      sealDelayMs: 1,
      signingKeys: hsm.settings,
    });
    onTestFinished(() => gate.close());
    const first = await initialiseGate(gate.gate, {
      mode: 'test',
      projectName: 'First',
      ownerEmail: 'owner@example.org',
    });
    const { caller } = await authenticateKey(gate.gate, first.secret_key);
    const action = 'payments.refund';
    const params = { amount: 5 };
    const { intent } = await submitIntent(gate.gate, caller, { action, params });
    const { permit } = await decideIntent(gate.gate, caller, { intentId: intent.id, decision: 'approve' });
    const token = permit?.token ?? '';
    const used = await verifyPermit(gate.gate, caller, { token, action, params, consume: true });
    expect(used.claims.action).toBe(action);
  });
});

async function startRotation(): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'rotate-when-told.ts');
  const gate = fork(script, [dataDir], { env: { ...process.env, ...hsm.environment } });
  onTestFinished(() => void gate.kill());
  expect(await answerOf(gate)).toBe('open');
  return gate;
}

/** The next message of the process. Rejects if the process ends first. */
async function answerOf(gate: ChildProcess): Promise<unknown> {
  const ended = once(gate, 'exit').then(([code]) => {
    throw new Error(`the process ended with ${code}`);
  });
  const [answer] = await Promise.race([once(gate, 'message'), ended]);
  return answer;
}

function closeAllSessions(hsm: SoftHsm): void {
  const slot = inspect((cryptoki) => cryptoki.tokens()[0]?.slot ?? 0n);
  expect(hsm.raw('C_CloseAllSessions', ['unsigned long'])(slot)).toBe(0);
}

function logOut(hsm: SoftHsm): void {
  inspect((_cryptoki, session) => {
    expect(hsm.raw('C_Logout', ['unsigned long'])(session)).toBe(0);
  });
}
