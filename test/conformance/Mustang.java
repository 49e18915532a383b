import java.util.stream.Stream;
import org.mustangproject.validator.ZUGFeRDValidator;

/** Files in; for each of them a line that says whether Mustang finds it completely valid, and below it what Mustang says. */
class Mustang {
  public static void main(String[] files) {
    Stream.of(files).forEach(file -> {
      ZUGFeRDValidator validator = new ZUGFeRDValidator();
      String report = validator.validate(file);
      System.out.println("<judged file=\"" + file + "\" valid=\"" + validator.wasCompletelyValid() + "\">\n" + report);
    });
  }
}
