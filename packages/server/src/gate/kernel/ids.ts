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
  /** `<prefix>_<26 characters>`: opaque, unique, sortable by creation even when the clock is set back. */
  next(prefix: IdPrefix): string;
  /** Sorts before every id of the prefix that is given out from that moment on; it is nobody's. */
  first(prefix: IdPrefix, at: Instant): string;
  /** 16 random bytes, base64url: keeps a text from being guessed from its digest. */
  salt(): string;
}
