declare module 'markdown-it-footnote' {
  import type { Parser } from './parser.ts';

  export default function footnotePlugin(parser: Parser): void;
}
