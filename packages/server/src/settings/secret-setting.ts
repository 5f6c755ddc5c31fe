/**
 * Reads secret settings: `NAME` holds the secret, or `NAME_FILE` names a file with it, as Docker and Kubernetes mount
 * secrets. No message quotes the secret, or a path that cannot be opened: people put the secret there by mistake.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface SecretSetting {
  text: string;
  /** The variable that the secret came from. */
  from: string;
  /** What the operator should change, in a sentence. */
  warning: string | null;
}

const MOST_BYTES = 4096;

/**
 * Undefined if neither variable is set.
 * @throws Error naming the variable: both are set, or the file cannot be read, is empty or too large
 * @example readSecretSetting(process.env, 'PERMITRY_SMTP_URL')?.text
 */
export function readSecretSetting(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): SecretSetting | undefined {
  const from = `${name}_FILE`;
  const [text, path] = [env[name]?.trim() || undefined, env[from]?.trim() || undefined];
  if (text !== undefined && path !== undefined) throw new Error(`${name} and ${from} are both set; keep one`);
  if (path !== undefined) return readSecretFile(from, path);
  return text === undefined ? undefined : { text, from: name, warning: null };
}

/**
 * The content of a file without its final line break.
 * @param from The variable that names the file.
 * @throws Error naming the variable
 */
export function readSecretFile(from: string, path: string, mostBytes = MOST_BYTES): SecretSetting {
  const file = attempt(from, () => openSync(path, 'r'));
  try {
    const content = attempt(from, () => readAtMost(file, mostBytes + 1));
    if (content.length > mostBytes)
      throw new Error(`${from} names a file of more than ${mostBytes} bytes: ${path}`);
    const text = content.toString('utf8').replace(/\r?\n$/, '');
    if (text.trim() === '') throw new Error(`${from} names a file that is empty: ${path}`);
    const { mode, uid } = fstatSync(file);
    // Windows has no such modes: Node reports the same bits for every file.
    const isOpen = process.platform !== 'win32' && othersMayRead({ mode, uid }, process.geteuid?.() ?? 0);
    return {
      text,
      from,
      warning: isOpen ? `${from}: other users may read ${path}; run: chmod 600 ${path}` : null,
    };
  } finally {
    closeSync(file);
  }
}

function attempt<T>(from: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${from} names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** A device or a pipe reports no size and may never end. */
function readAtMost(file: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  let length = 0;
  for (;;) {
    const read = readSync(file, buffer, length, bytes - length, null);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
  }
}

/**
 * A file of root may be readable to the gate through its group, or through an access list that looks like a group.
 * Examples are a systemd credential and a Kubernetes secret. For any other file, the group counts as other users.
 */
export function othersMayRead({ mode, uid }: { mode: number; uid: number }, gate: number): boolean {
  return (mode & (uid === 0 && gate !== 0 ? 0o037 : 0o077)) !== 0;
}
