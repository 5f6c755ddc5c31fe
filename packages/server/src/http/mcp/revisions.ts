/** Newest first. Revision 2025-03-26 is not supported, because its batches would be many calls that count as one. */
export const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];
export const MODERN_REVISION = '2026-07-28';
export const REVISIONS = [MODERN_REVISION, ...LEGACY_REVISIONS];
