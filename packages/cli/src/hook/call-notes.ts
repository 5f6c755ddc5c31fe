/**
 * Owns the notes that one hook leaves for the next, because each hook is a separate process. A note is a small file,
 * named by a hash of its subject. It holds an idempotency key or an intent's ID: nothing secret, and nothing that could
 * allow an action.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson, type JsonValue, sha256Hex } from '@permitry/protocol';

const KEPT_MS = 24 * 3_600_000;
const FORM = /^[\w-]{1,255}$/;

export class CallNotes {
  readonly #folder: string;

  constructor(folder = notesFolder()) {
    this.#folder = folder;
  }

  /** Undefined if there is no note, or none in our form. */
  read(about: JsonValue): string | undefined {
    try {
      const text = readFileSync(this.#path(about), 'utf8');
      return FORM.test(text) ? text : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * If a note cannot be kept, a person may be asked twice, or an outcome is not reported. Nothing runs because of it.
   */
  keep(about: JsonValue, text: string): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(this.#path(about), text, { mode: 0o600 });
      this.#clearOld();
    } catch {
      // The disk is full or read-only.
    }
  }

  drop(about: JsonValue): void {
    try {
      rmSync(this.#path(about), { force: true });
    } catch {
      // A note that could not be written cannot be removed either.
    }
  }

  #path(about: JsonValue): string {
    return join(this.#folder, sha256Hex(canonicalJson(about)));
  }

  /** Deletes notes older than a day: by then the gate has also deleted the idempotency keys. */
  #clearOld(): void {
    for (const name of readdirSync(this.#folder)) {
      const path = join(this.#folder, name);
      if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true });
    }
  }
}

/** As the XDG Base Directory Specification defines: `$XDG_STATE_HOME/permitry`, else `~/.local/state/permitry`. */
function notesFolder(): string {
  const { XDG_STATE_HOME: given } = process.env;
  const state = given?.startsWith('/') ? given : join(homedir(), '.local', 'state');
  return join(state, 'permitry', 'claude-code');
}
