/**
 * Owns encryption of archives, in the age format (age-encryption.org/v1): X25519 recipients, of which the machine that
 * makes backups needs to know the public part only, or a passphrase.
 */
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { BackupError } from './backup-error.ts';

/** What archives are encrypted to, or opened with. */
export type BackupKey =
  /** `age1…`: encrypts only. */
  | { kind: 'recipients'; recipients: readonly string[] }
  /** `AGE-SECRET-KEY-…`: opens, and encrypts to its own public part. */
  | { kind: 'identities'; identities: readonly string[] }
  | { kind: 'passphrase'; passphrase: string };

const SHORTEST_PASSPHRASE = 16;
/** What every file in this format begins with. */
export const AGE_MAGIC = Buffer.from('age-encryption.org/v1\n');

/**
 * The content of a key file as `age-keygen` and `permitry backup keygen` write it (comments allowed, one key a line),
 * or a passphrase.
 *
 * @throws BackupError `key_wrong`; the message holds nothing of the key
 */
export function parseBackupKey(text: string): BackupKey {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  // Nearly a key is not a passphrase: whoever mistypes one must hear of it now, not when the backup is needed.
  if (lines.some((line) => /^age(1|-)/i.test(line))) return parseAgeKeys(lines);
  const passphrase = lines.join('\n');
  if (passphrase.length < SHORTEST_PASSPHRASE) {
    throw new BackupError(
      'key_wrong',
      `A backup key is age1…, AGE-SECRET-KEY-1…, or a passphrase of at least ${SHORTEST_PASSPHRASE} characters; make one with: permitry backup keygen`,
    );
  }
  return { kind: 'passphrase', passphrase };
}

function parseAgeKeys(lines: readonly string[]): BackupKey {
  if (lines.every(isRecipient)) return { kind: 'recipients', recipients: lines };
  if (lines.every(isIdentity)) return { kind: 'identities', identities: lines };
  throw new BackupError(
    'key_wrong',
    'The backup key is neither public keys (age1…) only nor secret ones (AGE-SECRET-KEY-1…) only, or one of them is mistyped.',
  );
}

function isRecipient(line: string): boolean {
  return holds(() => new Encrypter().addRecipient(line));
}

function isIdentity(line: string): boolean {
  return holds(() => new Decrypter().addIdentity(line));
}

function holds(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

/** A new key pair: the identity opens archives and is kept elsewhere; the recipient encrypts and is no secret. */
export async function generateBackupKey(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** A stage of a pipeline: encrypts, in chunks that are each authenticated, the last one marked as the last. */
export async function encryptTo(
  key: BackupKey,
): Promise<(plain: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter();
  if (key.kind === 'passphrase') encrypter.setPassphrase(key.passphrase);
  else for (const recipient of await recipientsOf(key)) encrypter.addRecipient(recipient);
  return async function* (plain) {
    yield* await encrypter.encrypt(toWeb(plain));
  };
}

async function recipientsOf(key: Exclude<BackupKey, { kind: 'passphrase' }>): Promise<readonly string[]> {
  return key.kind === 'recipients' ? key.recipients : Promise.all(key.identities.map(identityToRecipient));
}

/**
 * The other way. Throws while it is read, after chunks that were right: what comes out is not to be believed before
 * the end.
 *
 * @throws BackupError `key_missing`, `key_wrong`, `damaged`
 */
export async function* decryptWith(
  key: BackupKey | undefined,
  cipher: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const decrypter = new Decrypter();
  if (key === undefined) {
    throw new BackupError(
      'key_missing',
      'The backup is encrypted; give its key with --key-file or PERMITRY_BACKUP_KEY.',
    );
  }
  if (key.kind === 'recipients') {
    throw new BackupError(
      'key_wrong',
      'A public key (age1…) cannot open a backup; give the secret one, AGE-SECRET-KEY-1….',
    );
  }
  if (key.kind === 'passphrase') decrypter.addPassphrase(key.passphrase);
  else for (const identity of key.identities) decrypter.addIdentity(identity);
  try {
    yield* await decrypter.decrypt(toWeb(cipher));
  } catch (cause) {
    if (cause instanceof Error && cause.message.startsWith('no identity matched')) {
      throw new BackupError(
        'key_wrong',
        'The key does not open this backup: it was encrypted to another one.',
        { cause },
      );
    }
    throw new BackupError('damaged', 'The backup cannot be decrypted: it was altered, damaged or cut off.', {
      cause,
    });
  }
}

// Not Readable.toWeb: it throws past everybody when its stream fails after its reader has gone.
function toWeb(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks);
}
