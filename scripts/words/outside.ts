/** Finds texts of the dashboard that a person reads but that are not in a words module (`*.words.ts`). */
import ts from 'typescript';
import type { Text } from './texts.ts';

/** Attributes whose names and values belong to the page's own code. */
const ATTRIBUTES_OF_CODE =
  /^(?:className|id|name|type|role|to|href|d|viewBox|autoComplete|data-.*|key|icon|tone|code)$/;
/** Names of keys in keyboard events, of headers, and the like. */
const NAMES =
  /^(?:Enter|Escape|Tab|Home|End|Arrow\w+|Delete|Backspace|Authorization|Accept|Bearer|UTC|Uint8Array)$/;
/** Texts that a person copies to a terminal or a program. */
const SNIPPET = /^(?:npx )?permitry [a-z]|^(?:curl|export) |\bconst \w+ =|^Bearer /;
/** Values of CSS, media types, keys of the browser’s storage. */
const VALUES_OF_CODE = /var\(--|^application\/|^permitry-/;
/** Products, whose names are the same in every language. */
const PRODUCTS = /^(?:Android|Windows|Linux|Edge|Opera|Firefox|Chrome|Safari)$/;
const READS_AS_TEXT = /^[“(]?[A-Z][a-z’]+(?:[ .,:;?!…]|$)|[a-z’,;:] (?:[a-z“…]|$)|^ (?:[a-z“]|…)/;

/** Punctuation alone, such as the comma between names, is no text. */
const HAS_LETTERS = /\p{L}{2}/u;

/** Text between tags, and literals that read as a label or as part of a sentence. */
export function textsOutsideWords(path: string, source: string): Text[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: Text[] = [];
  const add = (text: string, node: ts.Node) => {
    if (!HAS_LETTERS.test(text) || SNIPPET.test(text) || VALUES_OF_CODE.test(text)) return;
    found.push({
      kind: 'string',
      text: text.replace(/\s+/g, ' ').trim(),
      line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1,
    });
  };
  const visit = (node: ts.Node): void => {
    if (isOfCode(node)) return;
    if (ts.isJsxText(node)) {
      add(node.text, node);
    } else if (ts.isStringLiteralLike(node)) {
      if (READS_AS_TEXT.test(node.text) && !NAMES.test(node.text) && !PRODUCTS.test(node.text))
        add(node.text, node);
    } else if (ts.isTemplateExpression(node)) {
      const text = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
      if (READS_AS_TEXT.test(text)) add(text, node);
    } else if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && isTitle(node)) {
      add(node.name.text, node);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isOfCode(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isJsxAttribute(node)) return ATTRIBUTES_OF_CODE.test(node.name.getText());
  if (ts.isJsxElement(node)) return node.openingElement.tagName.getText() === 'code';
  if (isLiteral(node)) return isNameInCall(node) || isNameOfMember(node);
  return ts.isNewExpression(node) && /Error$/.test(node.expression.getText());
}

function isLiteral(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/**
 * The call `later(() => import('./ended.tsx'), 'Ended')` names an export, and `closest('button, input')` names elements
 * of the page.
 */
function isNameInCall({ parent }: ts.Node): boolean {
  return (
    ts.isCallExpression(parent) &&
    /^later$|\.(?:querySelector(?:All)?|closest|matches|matchMedia)$/.test(parent.expression.getText())
  );
}

/** `'Notification' in window`. */
function isNameOfMember({ parent }: ts.Node): boolean {
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InKeyword;
}

/** The key of a table's column is its heading: `Risk: (item) => …`. */
function isTitle({ name, initializer }: ts.PropertyAssignment): boolean {
  return (
    /^[A-Z][a-z]+$/.test(name.getText()) && !NAMES.test(name.getText()) && ts.isArrowFunction(initializer)
  );
}
