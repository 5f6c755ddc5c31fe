/** Extracts the words of a file: comments, strings, text of pages, and prose of documents. */
import ts from 'typescript';

export interface Text {
  kind: 'comment' | 'string' | 'prose';
  /** The text without code, on one line. */
  text: string;
  /** Line at which the text begins, from 1. */
  line: number;
}

/** Comments, joined over their lines, and strings and text of JSX, with `${…}` as a gap. */
export function textsOfSource(path: string, source: string): Text[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, false);
  const found: Text[] = [];
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const say = (text: string, position: number) => {
    const words = plain(text);
    if (words.includes(' ')) found.push({ kind: 'string', text: words, line: lineOf(position) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
      say(node.text, node.getStart(file));
    else if (ts.isJsxText(node)) say(node.text, node.getStart(file));
    else if (ts.isTemplateExpression(node)) {
      const spans = node.templateSpans.map(({ literal }) => literal.text);
      say([node.head.text, ...spans].join(' … '), node.getStart(file));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  for (const { text, position } of commentsOf(file)) {
    found.push({ kind: 'comment', text: plain(text), line: lineOf(position) });
  }
  return found;
}

/** Paragraphs of Markdown, without fences, code and link addresses. */
export function textsOfMarkdown(source: string): Text[] {
  const found: Text[] = [];
  let paragraph: string[] = [];
  let begins = 0;
  let isFenced = false;
  const end = () => {
    if (paragraph.length > 0) found.push({ kind: 'prose', text: plain(paragraph.join(' ')), line: begins });
    paragraph = [];
  };
  for (const [index, line] of source.split('\n').entries()) {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isFenced = !isFenced;
    if (isFence || isFenced || /^\s*$/.test(line)) {
      end();
      continue;
    }
    if (/^\s*(?:[*-]|\d+\.|#+|\|)\s/.test(line) || /^\|/.test(line)) end();
    if (paragraph.length === 0) begins = index + 1;
    paragraph.push(line.replace(/\]\([^)]*\)/g, ']'));
  }
  end();
  return found;
}

/** The comments of a YAML file. */
export function textsOfYaml(source: string): Text[] {
  return source.split('\n').flatMap((line, index) => {
    const text = /(?:^|\s)#\s+(.*)$/.exec(line)?.[1];
    return text === undefined ? [] : [{ kind: 'comment' as const, text: plain(text), line: index + 1 }];
  });
}

/** Consecutive `//` comments on lines of their own count as one. */
function commentsOf(file: ts.SourceFile): { text: string; position: number }[] {
  const ranges = new Map<number, ts.CommentRange>();
  const collect = (position: number) => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(file.text, position) ?? []),
      ...(ts.getTrailingCommentRanges(file.text, position) ?? []),
    ]) {
      ranges.set(range.pos, range);
    }
  };
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.JsxText) return;
    collect(node.getFullStart());
    collect(node.getEnd());
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  const comments: { text: string; position: number; end: number }[] = [];
  for (const { pos, end, kind } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const raw = file.text.slice(pos, end);
    const last = comments.at(-1);
    if (kind === ts.SyntaxKind.MultiLineCommentTrivia) {
      for (const text of raw
        .slice(2, -2)
        .replace(/^\s*\*+ ?(?:\|.*)?/gm, '')
        .split(/\n\s*\n|\n(?=\s*(?:@|- ))/)) {
        // The code of an example.
        if (/^\s*@example\b/.test(text)) continue;
        comments.push({ text: text.replace(/^\s*@\w+/, ''), position: pos, end });
      }
    } else if (last && /^\n[ \t]*$/.test(file.text.slice(last.end, pos))) {
      last.text += ` ${raw.slice(2)}`;
      last.end = end;
    } else {
      comments.push({ text: raw.slice(2), position: pos, end });
    }
  }
  return comments;
}

/** The text on one line, with a gap for each piece of code. */
function plain(text: string): string {
  return text
    .replace(/`[^`]*`/g, '…')
    .replace(/\s+/g, ' ')
    .trim();
}
