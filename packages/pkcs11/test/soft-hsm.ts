/** SoftHSM2, a PKCS#11 token in software, in its own directory. Installed first, if possible. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import koffi from 'koffi';
import { installDebianPackages } from '../../../test/install-debian-packages.ts';
import { KEYS_IN_CLEAR_FILES, type SigningKeySettings } from '../../server/src/keys/key-settings.ts';
import { Cryptoki } from '../src/cryptoki.ts';

const MODULES = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];

export const PIN = '87654321';
const SO_PIN = '12345678';
export const LABEL = 'permitry';

/** The path of the module. Null, with a message, if it is missing and cannot be installed. */
export function findSoftHsm(): string | null {
  const found = installedModule();
  if (found) return found;
  installDebianPackages(['softhsm2'], 'tests of PKCS#11');
  const installed = installedModule();
  if (installed === null) {
    process.stderr.write(
      'The tests of PKCS#11 are skipped: install SoftHSM2 (Debian: apt-get install softhsm2; macOS: brew install softhsm).\n',
    );
  }
  return installed;
}

/** The module, if the command that makes tokens is also installed. */
function installedModule(): string | null {
  const { status } = spawnSync('softhsm2-util', ['--version'], { stdio: 'ignore' });
  return status === 0 ? (MODULES.find(existsSync) ?? null) : null;
}

export interface SoftHsm {
  settings: SigningKeySettings;
  /** The same token with another PIN. */
  withPin(pin: string): SigningKeySettings;
  /** For separate processes. */
  environment: Record<string, string>;
  /** The C interface, on the test's thread. */
  cryptoki(): Cryptoki;
  /** A function of the module that the gate itself does not use. */
  raw(name: string, parameters: readonly string[]): (...args: unknown[]) => number;
  /** Removes the token, as if its cable had been pulled. Returns a function that puts it back. */
  unplug(): () => void;
  /** Imports a key that was made elsewhere. */
  importKey(pem: string, id: string, label: string): void;
  remove(): void;
}

/** One empty token. A module reads its settings when it is initialised, so there can be only one token at a time. */
export function openSoftHsm(module: string): SoftHsm {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-softhsm-'));
  const conf = join(directory, 'softhsm2.conf');
  const empty = join(directory, 'empty.conf');
  for (const [file, name] of [
    [conf, 'tokens'],
    [empty, 'none'],
  ] as const) {
    mkdirSync(join(directory, name));
    writeFileSync(file, `directories.tokendir = ${join(directory, name)}\nlog.level = ERROR\n`);
  }
  process.env.SOFTHSM2_CONF = conf;
  const util = (...args: string[]) =>
    execFileSync('softhsm2-util', args, { env: { ...process.env, SOFTHSM2_CONF: conf }, stdio: 'pipe' });
  util('--init-token', '--free', '--label', LABEL, '--so-pin', SO_PIN, '--pin', PIN);
  const library = koffi.load(module);
  const raw: SoftHsm['raw'] = (name, parameters) => {
    const native = library.func(name, 'unsigned long', [...parameters]);
    return (...args) => Number(native(...args));
  };
  const withPin = (pin: string): SigningKeySettings => ({
    ...KEYS_IN_CLEAR_FILES,
    pkcs11: { module, tokenLabel: LABEL, pin: createSecretKey(Buffer.from(pin)) },
  });
  // Clears what an earlier test left, so that the module reads the settings above.
  const finalize = () => raw('C_Finalize', ['void *'])(null);
  finalize();
  return {
    settings: withPin(PIN),
    withPin,
    environment: {
      SOFTHSM2_CONF: conf,
      PERMITRY_PKCS11_MODULE: module,
      PERMITRY_PKCS11_TOKEN: LABEL,
      PERMITRY_PKCS11_PIN: PIN,
    },
    cryptoki: () => new Cryptoki(koffi, module),
    raw,
    unplug() {
      process.env.SOFTHSM2_CONF = empty;
      finalize();
      return () => {
        process.env.SOFTHSM2_CONF = conf;
        finalize();
      };
    },
    importKey(pem, id, label) {
      const file = join(directory, 'import.pem');
      writeFileSync(file, pem, { mode: 0o600 });
      // With --force, because another key may have the same ID.
      util('--import', file, '--token', LABEL, '--label', label, '--id', id, '--pin', PIN, '--force');
    },
    remove() {
      finalize();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
