/**
 * Encrypts archives in the age format (age-encryption.org/v1). The key is a passphrase, or X25519 recipients: the
 * machine that makes backups then needs only their public part.
 */
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { BackupError } from './backup-error.ts';

/** The key that encrypts or opens archives. */
export type BackupKey =
  /** `age1…`: encrypts only. */
  | { kind: 'recipients'; recipients: readonly string[] }
  /** `AGE-SECRET-KEY-…`: opens, and encrypts to its own public part. */
  | { kind: 'identities'; identities: readonly string[] }
  | { kind: 'passphrase'; passphrase: string };

const SHORTEST_PASSPHRASE = 16;
/** Every file in this format starts like this. */
export const AGE_MAGIC = Buffer.from('age-encryption.org/v1\n');

/**
 * Reads a passphrase, or a key file as `age-keygen` and `permitry backup keygen` write it (comments allowed, one key
 * per line).
 * @throws BackupError `key_wrong`; the message contains nothing of the key
 */
export function parseBackupKey(text: string): BackupKey {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  // A mistyped key must not pass as a passphrase: the operator should learn it now, not when they need the backup.
  if (lines.some((line) => /^age(1|-)/i.test(line))) return parseAgeKeys(lines);
  const passphrase = lines.join('\n');
  if (passphrase.length < SHORTEST_PASSPHRASE) {
    throw new BackupError(
      'key_wrong',
      `A backup key is age1…, AGE-SECRET-KEY-1…, or a passphrase of at least ${SHORTEST_PASSPHRASE} characters; create one with: permitry backup keygen`,
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

/** A new key pair. The identity opens archives and is kept elsewhere. The recipient encrypts and is no secret. */
export async function generateBackupKey(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** A pipeline stage that encrypts in chunks. Each chunk is authenticated, and the final chunk is marked as final. */
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
 * Decrypts. May throw after correct chunks, so do not rely on the output before the end.
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

// Avoids Readable.toWeb, whose error is uncaught when its stream fails after its reader has gone.
function toWeb(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks);
}
