export { findOddWords, type OddWord } from './find-odd-words.ts';
export { isPlain, type Segment, toSegments } from './to-segments.ts';
