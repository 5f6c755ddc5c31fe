/** Runs one story at a time against a gate: each request waits for the previous answer. */

import type { Cast } from '../gate/cast.ts';
import type { Answer, AnyClient, Ask } from '../gate/client.ts';
import type { Random } from '../random.ts';
import type { Chronicle, DeedKind } from './chronicle.ts';

export class Storyteller {
  readonly client: AnyClient;
  readonly cast: Cast;
  readonly chronicle: Chronicle;
  readonly random: Random;
  readonly #name: string;
  #things = 0;

  /** @param name Never used again on this gate, because it identifies what the story creates. */
  constructor(parts: { client: AnyClient; cast: Cast; chronicle: Chronicle; random: Random; name: string }) {
    this.client = parts.client;
    this.cast = parts.cast;
    this.chronicle = parts.chronicle;
    this.random = parts.random;
    this.#name = parts.name;
  }

  /** A text that occurs nowhere else. */
  newName(): string {
    this.#things += 1;
    return `${this.#name}_${this.#things}`;
  }

  tell(kind: DeedKind, subject: string, ask: Ask, expected?: readonly number[]): Promise<Answer> {
    return this.chronicle.tell(this.client, kind, subject, ask, expected);
  }

  /** In half of the cases, an idempotency key. */
  perhapsRepeatable(): { idempotencyKey?: string } {
    return this.random.chance(0.5) ? { idempotencyKey: `repeat ${this.newName()}` } : {};
  }

  projectPath(more: string): string {
    return `/v1/projects/${this.cast.projectId}/${more}`;
  }
}
