/** The dialect of Markdown: CommonMark with the tables, strikethrough, task lists, footnotes and links of GitHub. HTML passes through. */
import MarkdownIt, { type Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';

export type Parser = InstanceType<typeof MarkdownIt>;

export function createParser(): Parser {
  const parser = new MarkdownIt({ html: true, linkify: true }).use(footnotes);
  parser.linkify?.set({ fuzzyLink: false }); // `README.md` is not a host
  const { validateLink } = parser;
  parser.validateLink = (url) => DATA_IMAGE.test(url) || validateLink(url);
  parser.core.ruler.after('inline', 'task-lists', ({ tokens }) => markTasks(tokens));
  parser.renderer.rules.footnote_anchor = () => ''; // the link back to the text shows an arrow, which says nothing on paper
  parser.renderer.rules.footnote_caption = (tokens, index) => String(Number(tokens[index]?.meta?.id) + 1);
  return parser;
}

/** markdown-it refuses these as it refuses `javascript:`. In a print they are pictures like others. */
const DATA_IMAGE = /^data:image\/[a-z0-9.+-]{1,20}[;,]/i;
const TASK = /^\[([ xX])\](?=\s)/;

/** Draws the boxes of `- [ ] open` and `- [x] done`, as text that screen readers and searches find. */
function markTasks(tokens: Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const item = tokens[index - 2];
    const text = token.children?.[0];
    const mark =
      item?.type === 'list_item_open' && token.type === 'inline' && text?.type === 'text' && TASK.exec(text.content)?.[1];
    if (!item || !text || !mark) continue;
    item.attrJoin('class', 'task');
    text.content = `${mark === ' ' ? '☐' : '☑'}\u00a0${text.content.slice('[ ] '.length)}`;
  }
}
