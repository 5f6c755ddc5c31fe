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
  /** A text that sorts before every id of the prefix generated from that moment on. It identifies nothing. */
  first(prefix: IdPrefix, at: Instant): string;
  /** 16 random bytes, base64url. Mixed into the digest of a text, so that nobody can guess the text. */
  salt(): string;
}
