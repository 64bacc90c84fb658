"""What a user waits for before the first line of their own runs."""


class Import:
    rounds = 1
    repeat = (3, 5, 5.0)
    number = 1
    timeout = 300

    def timeraw_twin_qini(self) -> str:
        return "import twin.qini"

    def timeraw_twin(self) -> str:
        return "from twin import TwinSearch"
