import type { Instant } from './instant.ts';

export type IdPrefix =
  | 'int'
  | 'prj'
  | 'agt'
  | 'key'
  | 'pmt'
  | 'rct'
  | 'evt'
  | 'usr'
  | 'ses'
  | 'inv'
  | 'idn'
  | 'pky'
  | 'dvk'
  | 'par'
  | 'psh'
  | 'ntc'
  | 'prf'
  | 'prp'
  | 'req'
  | 'crq'
  | 'ups'
  | 'whk'
  | 'dlv'
  | 'rpl';

export interface Ids {
  /** `<prefix>_<26 characters>`: opaque, unique, and sortable by creation even after the clock is set back. */
  next(prefix: IdPrefix): string;
  /** Sorts before every id of the prefix that is generated from that moment on. It identifies nothing. */
  first(prefix: IdPrefix, at: Instant): string;
  /** 16 random bytes, base64url, so that nobody can guess a text from its digest. */
  salt(): string;
}
