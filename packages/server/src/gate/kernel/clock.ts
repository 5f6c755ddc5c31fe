import type { Instant } from './instant.ts';

export interface Clock {
  now(): Instant;
}
