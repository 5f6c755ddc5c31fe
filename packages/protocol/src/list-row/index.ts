export { type Excerpt, excerptOfParams, excerptOfWords } from './excerpt.ts';
export { isUnmarked, type RowContent, type RowObstacle, rowObstacle } from './list-row.ts';
